package workspace

import (
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// What judges of several scenarios of workspace files have in common.

// done stops a judge for which a write was only the set-up.
func done(r host.FileReply, j *scenarios.Judge, what string) {
	if !host.Succeeded(r.Status) {
		j.BlockOn(openwop.OWPWSP1, "setup failed: "+what+" is answered HTTP "+r.Status.JSON())
	}
}

// dropped stops a judge for which a delete was only the set-up.
func dropped(r host.FileReply, j *scenarios.Judge) {
	if !host.Succeeded(r.Status) {
		j.BlockOn(openwop.OWPWSP6, "setup failed: the delete of a file is answered HTTP "+r.Status.JSON())
	}
}

// shownAsList stops a judge that looks into a list.
func shownAsList(r host.FileReply, j *scenarios.Judge) {
	if !(host.Succeeded(r.Status) && host.IsList(r.Body.Key("files"))) {
		j.BlockOn(openwop.OWPWSP4, "setup failed: the files cannot be listed: HTTP "+r.Status.JSON()+" with "+r.Body.JSON())
	}
}

// tagged stops a judge that writes on a condition.
func tagged(r host.FileReply, j *scenarios.Judge) {
	if r.Body.Key("etag").String() == "" {
		j.Block("the file has no etag, so nothing can be written on the condition that it has not changed: etag is "+r.Body.Key("etag").JSON(),
			"have a workspace file show its etag")
	}
}

// entries are the files of a list, and where they were looked for.
func entries(r host.FileReply) wire.Found {
	return wire.Found{Values: listed(r), In: r.Body.Key("files").Ref()}
}

// partsOf are the entries of a list with one of these paths.
func partsOf(r host.FileReply, paths ...string) wire.Found {
	return entries(r).Where(func(e wire.Value) bool { return slices.Contains(paths, e.Key("path").String()) })
}

// tell notes a status that is not the one that the text has.
func tell(r host.FileReply, j *scenarios.Judge, id scenarios.RequirementID, want int64, what string) {
	if code, _ := r.Status.Int(); r.Status.Present() && code != want {
		j.Find(id, "%s is answered HTTP %d, where the text has %d", what, code, want)
	}
}

// refused checks that something was refused, and notes how, where that is not the way of the text.
func refused(r host.FileReply, j *scenarios.Judge, id scenarios.RequirementID, want int64, what string) bool {
	if !j.Check(id, r.Status).To(check.Status(4), "%s", what) {
		return false
	}
	tell(r, j, id, want, what)
	tellRefusal(r, j, id, what)
	return true
}

// tellRefusal notes where a refusal is not in the envelope that errors have.
func tellRefusal(r host.FileReply, j *scenarios.Judge, id scenarios.RequirementID, what string) {
	host.GoalReply(r).TellRefusal(j, id, what)
}

// checkAbsent checks that no file is there. A host need not tell what is not there from what is not ours.
func checkAbsent(r host.FileReply, j *scenarios.Judge, id scenarios.RequirementID, what string) bool {
	return j.Check(id, r.Status).To(check.Status(403, 404, 410), "%s", what)
}

// unchanged checks that a file is still what it was before something that was refused.
func unchanged(r host.FileReply, j *scenarios.Judge, id scenarios.RequirementID, content string, version wire.Value, what string) bool {
	if code, _ := r.Status.Int(); !host.Succeeded(r.Status) && !host.IsGone(int(code)) {
		j.BlockOn(openwop.OWPWSP1, "setup failed: the file cannot be read: HTTP "+r.Status.JSON())
	}
	return j.Check(id, r.Body.Key("content")).To(check.Equal(content), "content after %s", what) &&
		j.Check(id, r.Body.Key("version")).To(check.SameAs(version), "version after %s", what)
}

// tellSchema notes what a file does not show as its schema has it.
func tellSchema(r host.FileReply, j *scenarios.Judge, id scenarios.RequirementID, what string) {
	if ok, _ := host.Timestamp().Match(r.Body.Key("updatedAt").Actual()); !ok {
		j.Find(id, "%s shows no date-time in updatedAt: %s", what, r.Body.Key("updatedAt").JSON())
	}
	members, _ := r.Body.Actual().(map[string]any)
	for name := range members {
		if !slices.Contains([]string{"path", "content", "contentType", "version", "etag", "updatedAt"}, name) {
			j.Find(id, "%s shows a member that the closed schema of a file does not have", what)
			return
		}
	}
}

// thesePaths expects exactly these paths, each once, in whatever order.
func thesePaths(want ...string) check.Matcher {
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

// pathsOf are the paths of writes.
func pathsOf(writes []FileWrite) []string {
	out := make([]string, len(writes))
	for i, w := range writes {
		out[i] = w.Path
	}
	return out
}

// strongEtag expects a quoted validator that is not marked as weak (RFC 9110, 8.8.3).
func strongEtag() check.Matcher {
	return check.That("a strong etag in quotes", func(v any) bool {
		s, _ := v.(string)
		return len(s) > 2 && s[0] == '"' && s[len(s)-1] == '"' && !strings.Contains(s[1:len(s)-1], `"`)
	})
}

// allDifferent expects a list in which nothing stands twice.
func allDifferent() check.Matcher {
	return check.That("no two the same", func(v any) bool {
		list, ok := v.([]any)
		for i, e := range list {
			ok = ok && !slices.Contains(list[:i], e)
		}
		return ok
	})
}
