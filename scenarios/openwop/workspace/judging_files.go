package workspace

import (
	"net/http"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// given blocks the judge unless a set-up request succeeded. A host may refuse one, for want of room.
func given(r host.FileReply, j *scenarios.Judge, what string) {
	if !host.Succeeded(r.Status) {
		j.Block("setup failed: "+what+" is answered HTTP "+r.Status.JSON(),
			"make room for a dozen small files in the workspace while the host is certified, and let the key that is given write them")
	}
}

// givenRead blocks the judge unless a file that was written is served.
func givenRead(r host.FileReply, j *scenarios.Judge, path string) {
	why := "setup failed: reading " + path + " is answered HTTP " + r.Status.JSON()
	switch code, _ := r.Status.Int(); code {
	case http.StatusNotFound, http.StatusGone:
		j.Violates(openwop.OWPWSP1, r.Status, why+", although it was written")
	}
	if !host.Succeeded(r.Status) {
		j.Block(why, "let the key that is given read workspace files")
	}
}

// givenDelete blocks the judge unless a set-up delete succeeded.
func givenDelete(r host.FileReply, j *scenarios.Judge) {
	if !host.Succeeded(r.Status) {
		j.Block("setup failed: the delete of a file is answered HTTP "+r.Status.JSON(), "let the key that is given delete workspace files")
	}
}

// givenList blocks the judge unless the reply is a list.
func givenList(r host.FileReply, j *scenarios.Judge) {
	why := "setup failed: the files cannot be listed: HTTP " + r.Status.JSON() + " with " + r.Body.JSON()
	switch code, _ := r.Status.Int(); {
	case host.NotThere(int(code)):
		j.Violates(openwop.OWPWSP4, r.Status, why)
	case !host.Succeeded(r.Status) || !host.IsList(r.Body.Key("files")):
		j.Block(why, "list workspace files as the member files of an object")
	}
}

// givenVersion blocks the judge unless a file shows its version, and returns it.
func givenVersion(file wire.Value, j *scenarios.Judge, when string) int64 {
	version := file.Key("version")
	n, ok := version.Int()
	if !ok {
		why := "setup failed: the file shows no version " + when
		if file.Key("content").Present() {
			j.Violates(openwop.OWPWSP9, version, why+": it is "+version.JSON())
		}
		j.Block(why, "serve a workspace file that was written")
	}
	return n
}

// givenEtag blocks a judge of conditional writes unless the file has an etag.
func givenEtag(r host.FileReply, j *scenarios.Judge) {
	if r.Body.Key("etag").String() == "" {
		j.Block("the file has no etag, so it cannot be written conditionally: etag is "+r.Body.Key("etag").JSON(),
			"have a workspace file show its etag")
	}
}

// entries returns the files of a list, with a reference to the list.
func entries(r host.FileReply) wire.Found {
	return wire.Found{Values: listed(r), In: r.Body.Key("files").Ref()}
}

// partsOf returns the list entries with one of these paths.
func partsOf(r host.FileReply, paths ...string) wire.Found {
	return entries(r).Where(func(e wire.Value) bool { return slices.Contains(paths, e.Key("path").String()) })
}

// tell notes a status other than the one in the text. id is a SHOULD, or "" where a MUST does not say with which status.
func tell(r host.FileReply, j *scenarios.Judge, id scenarios.RequirementID, want int64, what string) {
	if code, _ := r.Status.Int(); r.Status.Present() && code != want {
		j.Find(id, "%s is answered HTTP %d, where the text has %d", what, code, want)
	}
}

// refused checks a refusal, and notes a status and a form other than those in the text, which id leaves open.
func refused(r host.FileReply, j *scenarios.Judge, id scenarios.RequirementID, want int64, what string) bool {
	if !j.Check(id, r.Status).To(check.Status(4), "%s", what) {
		return false
	}
	tell(r, j, "", want, what)
	tellRefusal(r, j, what)
	return true
}

// tellRefusal notes a refusal without the error envelope.
func tellRefusal(r host.FileReply, j *scenarios.Judge, what string) {
	host.GoalReply(r).TellRefusal(j, "", what)
}

// checkAbsent checks that there is no file. A host may answer alike for missing
// and for foreign files.
func checkAbsent(r host.FileReply, j *scenarios.Judge, id scenarios.RequirementID, what string) bool {
	return j.Check(id, r.Status).To(check.Status(403, 404, 410), "%s", what)
}

// unchanged checks that a refused request left the file as it was.
func unchanged(r host.FileReply, j *scenarios.Judge, id scenarios.RequirementID, content string, version wire.Value, what string) bool {
	if code, _ := r.Status.Int(); !host.Succeeded(r.Status) && !host.IsGone(int(code)) {
		j.Block("setup failed: the file cannot be read: HTTP "+r.Status.JSON(), "serve a workspace file whenever it is asked for")
	}
	return j.Check(id, r.Body.Key("content")).To(check.Equal(content), "content after %s", what) &&
		j.Check(id, r.Body.Key("version")).To(check.SameAs(version), "version after %s", what)
}

// tellSchema notes where a file departs from its schema.
func tellSchema(r host.FileReply, j *scenarios.Judge, what string) {
	if ok, _ := host.Timestamp().Match(r.Body.Key("updatedAt").Actual()); !ok {
		j.Find("", "%s shows no date-time in updatedAt: %s", what, r.Body.Key("updatedAt").JSON())
	}
	members, _ := r.Body.Actual().(map[string]any)
	for name := range members {
		if !slices.Contains([]string{"path", "content", "contentType", "version", "etag", "updatedAt"}, name) {
			j.Find("", "%s shows a member that the closed schema of a file does not have", what)
			return
		}
	}
}

// exactPaths expects exactly these paths, each once, in any order.
func exactPaths(want ...string) check.Matcher {
	want = slices.Sorted(slices.Values(want))
	return check.That("exactly "+wire.Compact(want)+", in any order", func(v any) bool {
		list, ok := v.([]any)
		got := make([]string, 0, len(list))
		for _, e := range list {
			path, _ := e.(string)
			got = append(got, path)
		}
		slices.Sort(got)
		return ok && slices.Equal(got, want)
	})
}

func pathsOf(writes []FileWrite) []string {
	out := make([]string, len(writes))
	for i, w := range writes {
		out[i] = w.Path
	}
	return out
}

// strongEtag expects a quoted validator without a weakness mark (RFC 9110, 8.8.3).
func strongEtag() check.Matcher {
	return check.That("a strong etag in quotes", func(v any) bool {
		s, _ := v.(string)
		return len(s) > 2 && s[0] == '"' && s[len(s)-1] == '"' && !strings.Contains(s[1:len(s)-1], `"`)
	})
}

// noDuplicates expects a list without duplicates.
func noDuplicates() check.Matcher {
	return check.That("no two the same", func(v any) bool {
		list, ok := v.([]any)
		for i, e := range list {
			ok = ok && !slices.Contains(list[:i], e)
		}
		return ok
	})
}
