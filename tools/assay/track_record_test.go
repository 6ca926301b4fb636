package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	yaml "go.yaml.in/yaml/v3"

	"github.com/openassay/assay/internal/textsafe"
)

// defect is an entry of docs/track-record.yaml.
type defect struct {
	Host, Defect, Outcome, By, Why, Became, Record, Command string
}

const trackRecordIntro = `# Track record

Real defects of hosts, as far as they are recorded: whether Assay found them, who did if not, why it missed them, and what became of
the miss. It is made of [track-record.yaml](track-record.yaml), which also says how to make it again. A suite that was never measured
by what others find says little, so misses stand here as well as finds. Whoever knows another one adds an entry with the place that
records it.

%d entries: %d found, %d missed.
`

// trackRecord is the page of the entries.
func trackRecord(entries []defect) string {
	count := map[string]int{}
	for _, d := range entries {
		count[d.Outcome]++
	}
	var b strings.Builder
	fmt.Fprintf(&b, trackRecordIntro, len(entries), count["found"], count["missed"])
	for _, d := range entries {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", textsafe.Markdown(d.Host), textsafe.Markdown(d.Defect))
		for _, row := range [][2]string{{"outcome", d.Outcome}, {"found by", d.By}, {"why it was missed", d.Why}, {"what became of it", d.Became},
			{"recorded in", d.Record}} {
			if row[1] != "" {
				fmt.Fprintf(&b, "- %s: %s\n", row[0], textsafe.Markdown(row[1]))
			}
		}
		fmt.Fprintf(&b, "- look at it: `%s`\n", d.Command)
	}
	return b.String()
}

// The page is that of the data, each entry is whole, its commit is one of this repository, and its command is one that assay understands.
func TestTrackRecord(t *testing.T) {
	raw, err := os.ReadFile("../../docs/track-record.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var entries []defect
	decoder := yaml.NewDecoder(strings.NewReader(string(raw)))
	decoder.KnownFields(true)
	if err := decoder.Decode(&entries); err != nil {
		t.Fatal(err)
	}
	if len(entries) == 0 {
		t.Error("there is no entry")
	}
	isCommit := regexp.MustCompile(`^[0-9a-f]{8,40}$`)
	for _, d := range entries {
		for member, value := range map[string]string{"host": d.Host, "defect": d.Defect, "by": d.By, "record": d.Record, "command": d.Command} {
			if value == "" {
				t.Errorf("%q has no %s", d.Defect, member)
			}
		}
		if d.Outcome != "found" && d.Outcome != "missed" {
			t.Errorf("%q is %q: write found or missed", d.Defect, d.Outcome)
		}
		if (d.Outcome == "missed") != (d.Why != "" && d.Became != "") {
			t.Errorf("%q: a miss says why, and what became of it, and nothing else does", d.Defect)
		}
		if isCommit.MatchString(d.Record) && exec.Command("git", "rev-parse", "--git-dir").Run() == nil {
			if out, err := exec.Command("git", "cat-file", "-t", d.Record).CombinedOutput(); err != nil && !isShallow() {
				t.Errorf("%q: %s is no commit here: %s", d.Defect, d.Record, out)
			}
		}
		if err := understood(d.Command); err != nil {
			t.Error(err)
		}
	}
	const path = "../../docs/track-record.md"
	want := trackRecord(entries)
	if os.Getenv("ASSAY_UPDATE") != "" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s is not that of its data: ASSAY_UPDATE=1 go test ./tools/assay -run TestTrackRecord (%v)", path, err)
	}
}

// isShallow reports whether the checkout has not all commits.
func isShallow() bool {
	out, err := exec.Command("git", "rev-parse", "--is-shallow-repository").Output()
	return err != nil || strings.TrimSpace(string(out)) == "true"
}

// understood returns an error unless assay has the command, with these flags and as many arguments.
func understood(command string) error {
	words := strings.Fields(command)
	if len(words) < 2 || words[0] != "assay" {
		return fmt.Errorf("%q is no command of assay", command)
	}
	cmd, rest, err := newRoot().Find(words[1:])
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err == nil && cmd.Args != nil {
		err = cmd.Args(cmd, cmd.Flags().Args())
	}
	if err == nil && !cmd.Runnable() {
		err = fmt.Errorf("it only has commands below it")
	}
	if err != nil {
		return fmt.Errorf("%q is not understood: %w", command, err)
	}
	return nil
}

func TestACommandThatIsNone(t *testing.T) {
	for _, command := range []string{"assay", "assay certificate", "assay certify simhost --agian 3", "certify simhost"} {
		if understood(command) == nil {
			t.Errorf("%q is understood", command)
		}
	}
}
