package main

import (
	"bufio"
	"context"
	"io"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/openintent"
	"github.com/openassay/assay/simhost/openwop/surface"
)

// standsFor is what the words of the docs stand for, beside the addresses of hosts.
var standsFor = map[string]string{
	"bin/assay": "assay", "--spec DIR --into DIR --package NAME": `--spec "$ROOT/spec/agenticloop/v2" --into made --package made`,
}

// notRun are commands that no test runs, each with the reason.
var notRun = map[string]string{
	"make certify":    "it builds the command and runs what stands below it",
	"make test":       "it is this",
	"bin/assay prove": "it takes a quarter of an hour; tools/prove runs the same",
	"bin/assay prove --fault 'gate.*' --suite interrupts":                       "prove.txtar runs the like",
	"assay simhost clock advance 2h --run ID":                                   "it takes a run that waits; see simhost_clock.txtar",
	"assay certify https://host.example --key-file key --launch ticket.json":    "it takes hours",
	"assay certify http://localhost:3000 --key \"$KEY\" --again 3 --over 10m":   "it takes ten minutes; certify_again.txtar runs the like",
	"assay certify http://localhost:3000 --salt spring-tide":                    "that host has to load what is exported; fixtures.txtar does",
	"assay certify --check ticket.json --key-file key --bundle evidence.tar.gz": "likewise",
	"assay explore http://127.0.0.1:7411 --protocol openintent --key dev --for 10s --host-cmd 'bin/assay simhost --protocol openintent " +
		"--listen 127.0.0.1:7411 --key dev --data data'": "its port may be taken; explore_killed.txtar runs the like",
	"assay record --target http://localhost:3000 --out recording":      "it serves until it is stopped; record.txtar runs the like",
	"assay observe recording":                                          "it takes a recording; record.txtar runs the like",
	"assay simhost --recorded recording --recorded-report report.json": "it takes a recording; simhost_recorded.txtar runs the like",
	`cat "$job/response.json"`:                                         "it is a line of a script for a gateway",
	"bin/assay generate":                                               "it writes into the checkout",
	"bin/assay generate --spec ./api --into ./gen/shop":                "the folder is the reader's; generate.txtar runs the like",
	"bin/assay generate --check":                                       "make test begins with it",
	"bin/assay diff HEAD~1 HEAD --spec spec/openwop/v1":                "it takes a repository; diff.txtar and the page on it run the like",
	"assay coverage recording":                                         "likewise",
}

// endsWith are the exit codes of commands that find something out of which the page makes no secret, each with the reason.
var endsWith = map[string]int{
	"assay certify --protocol agentic-loop --exec 'python3 run.py'": scenarios.ExitUnproved, // nothing declares its seams
}

// narrowed is added to commands that take long and ask what the same page, another one or a script asks in full. ASSAY_LONG=1
// runs them as they stand.
var narrowed = map[string]string{
	"assay certify ./my-agent":                                      " --suite budget",
	"bin/assay certify ./agentic-loop":                              " --suite budget",   // certify_agent.txtar
	"assay certify --protocol agentic-loop --exec 'python3 run.py'": " --suite security", // which is where seams are missing

	"assay certify https://host.example --nonce " + docNonce + " --bundle evidence.tar.gz":   " --suite discovery",
	"assay certify https://host.example --register register.ndjson --bundle evidence.tar.gz": " --suite discovery,errors",
	"bin/assay certify https://host.example --bundle evidence.tar.gz --sign assay.key":       " --suite discovery", // verify.md
	`bin/assay certify https://host.example --key "$KEY" --tenant-b-key "$OTHER_KEY"`:        " --suite isolation",
	"bin/assay certify simhost --out out/honest":                                             " --suite iteration-monotonic",
	"bin/assay certify simhost --fault loop.iteration-resets-on-resume --out out/broken":     " --suite iteration-monotonic",
	"assay certify simhost --fault handoff.cancelled-child-of-itself --update-expectations":  " --suite handoff",
}

// pagesWithTests are run by tests of their own, with what each command prints.
var pagesWithTests = []string{"openintent.md", "spec-change.md"}

// Every command of the docs is run as it stands, page by page in an empty folder, with the hosts that it talks to. It ends with
// exit code 0, or with what the comment behind it says: "# exit code 1".
func TestEveryCommandOfTheDocs(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(pages, "../../README.md", "../../CONTRIBUTING.md") {
		if slices.Contains(pagesWithTests, filepath.Base(path)) {
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		commands := commandsOf(string(content))
		if len(commands) == 0 {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			runPage(t, commands)
		})
	}
}

// asksHost reports whether a command asks a simulated host that runs.
func asksHost(line string) bool {
	words := strings.Fields(line)
	return len(words) > 2 && words[1] == "simhost" && slices.Contains([]string{"clock", "fault", "variation", "snapshot"}, words[2])
}

// runPage runs the commands of one page in one folder, one after another.
func runPage(t *testing.T, commands []docCommand) {
	dir := readableFolder(t)
	addAgents(t, dir)
	hosts := docHosts(t)
	addReports(t, dir, hosts["TARGET"])
	running := "" // the simulated host that was started last
	for _, c := range commands {
		if why, not := notRun[strings.TrimSpace(c.text)]; not {
			t.Logf("not run, since %s: %s", why, c.text)
			continue
		}
		line := c.text
		for _, from := range slices.SortedFunc(maps.Keys(hosts), func(a, b string) int { return len(b) - len(a) }) {
			line = strings.ReplaceAll(line, from, hosts[from])
		}
		if makes, is := strings.CutPrefix(line, "make "); is {
			checkTarget(t, makes)
			continue
		}
		if strings.HasPrefix(line, "assay simhost") && !asksHost(line) {
			running = startInBackground(t, dir, line)
			continue
		}
		if asksHost(line) && !strings.Contains(line, " load ") {
			line += " --key dev --url " + running // ASSAY_KEY is that of the hosts that are certified
		}
		if !testenv.Long() {
			line += narrowed[c.text]
		}
		got, said := runLine(t, dir, line)
		if want := max(c.exit, endsWith[c.text]); got != want {
			t.Errorf("%s\nends with exit code %d, want %d:\n%s", c.text, got, want, said)
		}
	}
}

// docNonce is what the operator of a host publishes.
const docNonce = "4f1c-spring-audit"

// Keys of the hosts that the docs certify.
const (
	docKey, docOtherKey = "the-key-of-the-docs", "the-other-key-of-the-docs"
	docTenantKey        = "the-key-of-another-tenant-of-the-docs"
	docLowScopeKey      = "the-low-scope-key-of-the-docs"
	docHostSecret       = "the-host-secret-of-the-docs"
)

// docVoters are further people, by their keys.
var docVoters = map[string]string{"one": "the-first-voter-of-the-docs", "two": "the-second-voter-of-the-docs",
	"three": "the-third-voter-of-the-docs"}

// addAgents puts the plugins into the folder that the docs certify by name: all are ours.
func addAgents(t *testing.T, dir string) {
	t.Helper()
	for name, program := range map[string]string{"run.py": `"agent"`, "resolve.py": `"resolve-policy"`} {
		script := "import os\nos.execvp('assay', ['assay', " + program + "])\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if code, said := runLine(t, dir, "assay agent export ./my-agent"); code != 0 {
		t.Fatal(said)
	}
}

// addReports puts results into the folder that the docs compare by name, and a bundle of the other suite.
func addReports(t *testing.T, dir, host string) {
	t.Helper()
	if code, said := runLine(t, dir, "assay certify "+host+" --suite discovery --out out-a"); code != 0 {
		t.Fatal(said)
	}
	for _, name := range []string{"out-b", "out-last-week", "out", "main"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(dir, "out-a"))); err != nil {
			t.Fatal(err)
		}
	}
	theirs, err := os.ReadFile("../../reports/conformance/testdata/v2.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bundle.json"), theirs, 0o600); err != nil {
		t.Fatal(err)
	}
}

// docHosts starts what the pages certify, and is what stands for it there.
func docHosts(t *testing.T) map[string]string {
	t.Helper()
	host, err := surface.New(t.Context(), surface.Options{
		Key: docKey, Tenants: map[string]string{"other": docOtherKey, "another": docTenantKey}, Voters: docVoters,
		LowScopeKey: docLowScopeKey, Vault: []string{docHostSecret}, Version: surface.HighestVersion,
	})
	if err != nil {
		t.Fatal(err)
	}
	callers := maps.Clone(docVoters)
	callers["other"] = docOtherKey
	server, err := openintent.New(t.Context(), openintent.Options{Key: docKey, Callers: callers})
	if err != nil {
		t.Fatal(err)
	}
	operator := simhostFlags{nonce: docNonce, protocols: []string{"openwop"}}
	wop, intents := httptest.NewServer(operator.publishing(host.Handler())), httptest.NewServer(server.Handler())
	t.Cleanup(func() {
		wop.Close()
		intents.Close()
		_ = host.Close(context.Background())
		_ = server.Close(context.Background())
	})
	out := maps.Clone(standsFor)
	for _, name := range []string{"https://host.example", "http://localhost:3000", "TARGET"} {
		out[name] = wop.URL
	}
	for _, name := range []string{"https://server.example", "http://localhost:8000"} {
		out[name] = intents.URL
	}
	return out
}

func runLine(t *testing.T, dir, line string) (code int, said string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testenv.Patience(2*time.Minute))
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", line)
	program, err := exec.LookPath("assay")
	if err != nil {
		t.Fatal(err)
	}
	// A python of root's own is nobody else's, and a plugin of root is started as somebody else.
	path := filepath.Dir(program) + ":/usr/bin:/bin:" + os.Getenv("PATH")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+path, "ROOT="+root, "KEY="+docKey, "OTHER_KEY="+docOtherKey,
		"ASSAY_KEY="+docKey, "ASSAY_TENANT_B_KEY="+docTenantKey, "ASSAY_LOW_SCOPE_KEY="+docLowScopeKey, "ASSAY_HOST_SECRET="+docHostSecret,
		"ASSAY_VOTER_KEYS="+strings.Join(slices.Collect(maps.Values(docVoters)), ","))
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatalf("%s: %v", line, err)
	}
	if ctx.Err() != nil {
		t.Fatalf("%s does not end", line)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// startInBackground starts a host on a free port, to be stopped when the page ends, and returns its address.
func startInBackground(t *testing.T, dir, line string) string {
	t.Helper()
	if !strings.Contains(line, "--listen") {
		line += " --listen 127.0.0.1:0"
	}
	cmd := exec.Command("bash", "-c", "exec "+line)
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGINT)
		<-read
		_ = cmd.Wait()
	})
	first, err := bufio.NewReader(out).ReadString('\n')
	go func() {
		defer close(read)
		_, _ = io.Copy(io.Discard, out) // the rest of the banner
	}()
	if err != nil || !strings.Contains(first, "http") {
		t.Errorf("%s\nsays %q and %q, and no address", line, first, said.String())
		return ""
	}
	return strings.TrimSpace(first[strings.Index(first, "http"):])
}

// checkTarget looks for what make is asked for.
func checkTarget(t *testing.T, asked string) {
	t.Helper()
	content, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	target, _, _ := strings.Cut(asked, " ")
	if !strings.Contains(string(content), "\n"+target+":") {
		t.Errorf("make %s: the Makefile has no such target", target)
	}
}

// docCommand is a command of a page.
type docCommand struct {
	text string // with the lines that it goes on in
	exit int    // the code that it ends with
}

var (
	isCommand    = regexp.MustCompile(`^(\$ )?((bin/)?assay|make|curl|echo|go|git|export|cd|mkdir|cat|python3|sh|docker|jq|unzip|tar) `)
	saysExitCode = regexp.MustCompile(`#.*exit code (\d+)`)
)

// commandsOf are the commands in the blocks of a page: those that are indented, and those fenced as sh or console.
func commandsOf(page string) (commands []docCommand) {
	fenced, goesOn := "", false
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		if name, fence := strings.CutPrefix(line, "```"); fence {
			switch fenced {
			case "":
				fenced = name + "\n"
			default:
				fenced = ""
			}
			continue
		}
		text, indented := strings.CutPrefix(line, "    ")
		isShell := fenced == "sh\n" || fenced == "console\n" || fenced == "" && indented
		switch last := len(commands) - 1; {
		case goesOn:
			commands[last].text += "\n" + line
			goesOn = strings.HasSuffix(line, `\`)
		case isShell && isCommand.MatchString(text+" "):
			text = strings.TrimPrefix(text, "$ ")
			c := docCommand{text: strings.TrimSpace(strings.Split(text, " #")[0])}
			if m := saysExitCode.FindStringSubmatch(text); m != nil {
				c.exit, _ = strconv.Atoi(m[1])
			}
			commands = append(commands, c)
			goesOn = strings.HasSuffix(c.text, `\`)
		}
	}
	return commands
}

// readableFolder is a temporary folder that a plugin, which runs as another user where the test is root's, can read. It may
// start this very program too.
func readableFolder(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("assay")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir), filepath.Dir(program), filepath.Dir(filepath.Dir(program))} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
