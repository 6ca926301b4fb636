package model

import (
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
)

// Which etag a write named, only its reply says. So the rules of writes with a condition have both ways, and each looks whether
// that etag can be the one that the file has.
var fileWrites = []*fileRule{
	{
		Name: "a path that no file can have is refused", Of: scenarios.IDs{openwop.OWPWSP22, openwop.OWPWSP21},
		When: func(_ Files, in FileAsk) bool { return in.Do == PutStray },
		Ways: []fileWay{{Must: true, Shows: func(_ Files, s fileStep) []history.Miss {
			return whenRefused(s, pathRule(s.In.Path))
		}, To: Files.same}},
	},
	{
		Name: "a write without a content is refused", Of: scenarios.IDs{openwop.OWPWSP3},
		When: func(_ Files, in FileAsk) bool { return in.Do == PutOdd },
		Ways: []fileWay{{Must: true, Shows: func(_ Files, s fileStep) []history.Miss { return refusal(s.Out.Status) }, To: Files.same}},
	},
	{
		Name: "a content that is too large is refused", Of: scenarios.IDs{openwop.OWPWSP23}, Readings: []string{"OWP-R26"},
		When: func(f Files, in FileAsk) bool { return in.puts(false) && f.tooLarge(in) },
		Ways: []fileWay{{Must: true, Shows: func(_ Files, s fileStep) []history.Miss {
			return refusal(s.Out.Status, 413, 400)
		}, To: Files.same}},
	},
	{
		Name: "a content that is too large is refused, whatever its condition", Of: scenarios.IDs{openwop.OWPWSP23},
		When: func(f Files, in FileAsk) bool { return in.Do == PutFile && f.tooLarge(in) },
		Ways: []fileWay{{Must: true, Shows: func(_ Files, s fileStep) []history.Miss { return refusal(s.Out.Status) }, To: Files.same}},
	},
	{
		Name: "a write with If-Match of a file that is not there is refused", Of: scenarios.IDs{openwop.OWPWSP15}, Readings: []string{"OWP-R26"},
		When: func(f Files, in FileAsk) bool { return in.puts(true) && !f.at(in).There },
		Ways: []fileWay{{Must: true, Shows: func(_ Files, s fileStep) []history.Miss { return refusal(s.Out.Status) }, To: Files.same}},
	},
	{ // No text of the protocol says what a star is.
		Name: "a write of any etag is made or not", Of: scenarios.IDs{openwop.OWPWSP11},
		When: func(_ Files, in FileAsk) bool { return in.puts(true) && in.If == AnyEtag },
		Ways: []fileWay{
			{Name: "made", Shows: Files.made, To: Files.wrote},
			{Name: "refused", Shows: func(_ Files, s fileStep) []history.Miss { return refusal(s.Out.Status) }, To: Files.same},
		},
	},
	{
		Name: "a write is made only if it names the etag that the file has",
		Of:   scenarios.IDs{openwop.OWPWSP13, openwop.OWPWSP12, openwop.OWPWSP16},
		When: func(_ Files, in FileAsk) bool { return in.puts(true) },
		Ways: []fileWay{
			{Name: "it does not", Must: true, Shows: Files.conflicts, To: Files.same},
			{Name: "it does", Must: true, Shows: Files.matches, To: Files.wrote},
		},
	},
	{
		Name: "a write without If-Match replaces what is there", Of: scenarios.IDs{openwop.OWPWSP11},
		When: func(f Files, in FileAsk) bool { return in.puts(false) && f.at(in).There },
		Ways: []fileWay{{Must: true, Shows: Files.made, To: Files.wrote}},
	},
	{
		Name: "a write makes a file", Of: scenarios.IDs{openwop.OWPWSP1},
		When: func(_ Files, in FileAsk) bool { return in.puts(false) },
		Ways: []fileWay{{Must: true, Shows: Files.made, To: Files.wrote}},
	},
	{
		Name: "a file is deleted", Of: scenarios.IDs{openwop.OWPWSP6},
		When: func(f Files, in FileAsk) bool { return in.Do == DropFile && f.at(in).There },
		Ways: []fileWay{{Must: true, Shows: func(_ Files, s fileStep) []history.Miss {
			return success(s.Out.Status, "the file is deleted")
		}, To: Files.dropped}},
	},
	{
		Name: "the delete of a file that is not there is refused", Of: scenarios.IDs{openwop.OWPWSP7},
		When: func(_ Files, in FileAsk) bool { return in.Do == DropFile },
		Ways: []fileWay{{Must: true, Shows: absent, To: Files.same}},
	},
}

func pathRule(odd int) scenarios.RequirementID {
	if strings.Contains(OddPaths[odd], "/..") {
		return openwop.OWPWSP21
	}
	return openwop.OWPWSP22
}

func whenRefused(s fileStep, id scenarios.RequirementID) []history.Miss {
	code, _ := s.Out.Status.Int()
	return whether(code/100 == 4, id, s.Out.Status, "a refusal with 4xx")
}

// next returns the file at the path after the write of a step, without what the reply tells of it.
func (f Files) next(in FileAsk) File {
	file := f.at(in)
	again := file.Version > 0 && !file.There
	file.Former = [len(file.Former)]string{file.Etag, file.Former[0], file.Former[1]}
	if again && !f.Versioned { // no text says that it goes on counting
		file = File{}
	}
	if again {
		file.From = 0
	}
	file.There, file.Text, file.Type, file.Etag = true, in.Text, in.Type, ""
	file.Version++
	file.Sure = !again && (file.Sure || file.Version == 1)
	if again && file.Dropped > 0 {
		file.Again = file.Version
	}
	return file
}

// made compares the reply to a write with the file that it makes.
func (f Files) made(s fileStep) (out []history.Miss) {
	id := f.madeOf(s.In)
	if code, _ := s.Out.Status.Int(); code/100 != 2 {
		return []history.Miss{missOf(id, s.Out.Status, "success: the file is written")}
	}
	file, was := f.next(s.In), f.at(s.In)
	if version, ok := s.Out.Body.Key("version").Int(); ok && version < file.Version && was.Version > 0 && !was.There {
		return []history.Miss{missOf(openwop.OWPWSP17, s.Out.Body.Key("version"), "a version from %d on", file.Version)}
	}
	if !s.Out.Body.Key("version").Present() { // the reply to a write need not show the file
		return nil
	}
	if content := s.Out.Body.Key("content"); content.Present() && !file.Text.is(content, f.MaxBytes) {
		out = append(out, missOf(openwop.OWPWSP1, content, "the content %s", file.Text))
	}
	return append(out, file.same(s.Out.Body, s.Out.path(s.In.Path))...)
}

// madeOf is the sentence by which a write has to be made; "" is that of the rule.
func (f Files) madeOf(in FileAsk) scenarios.RequirementID {
	switch {
	case in.If != Unconditional && in.If != AnyEtag:
		return openwop.OWPWSP12
	case f.MaxBytes > 0 && in.Text.size(f.MaxBytes) == f.MaxBytes:
		return openwop.OWPWSP24
	}
	return ""
}

// wrote returns the files after a write.
func (f Files) wrote(s fileStep) Files {
	file := f.next(s.In)
	if version, ok := s.Out.Body.Key("version").Int(); ok && !file.Sure {
		file.learn(version)
	}
	if file.Sure {
		file.keep()
	} else {
		file.Wrote = [keptVersions]int64{}
	}
	file.Etag = s.Out.Body.Key("etag").String()
	f.Files[s.In.Path] = file
	return f
}

// FileAt returns a file as a read of it shows it.
func FileAt(text Text, kind string, version int64, etag string) File {
	f := File{There: true, Text: text, Type: kind, Version: version, Sure: true, Etag: etag}
	f.keep()
	return f
}

// matches: the etag that the write named may be the one that the file has.
func (f Files) matches(s fileStep) []history.Miss {
	if etag := f.at(s.In).Etag; etag != "" && etag != s.Out.Named {
		return []history.Miss{missOf("", s.Out.Status, "a refusal: the file has the etag %s", etag)}
	}
	return f.made(s)
}

// conflicts: the etag that the write named may be another than the one that the file has.
func (f Files) conflicts(s fileStep) (out []history.Miss) {
	file := f.at(s.In)
	code, _ := s.Out.Status.Int()
	if file.Etag == s.Out.Named {
		return []history.Miss{missOf(openwop.OWPWSP12, s.Out.Status, "success: it names the etag that the file has")}
	}
	if code/100 != 4 {
		return []history.Miss{missOf(wins(s), s.Out.Status, "a refusal: it does not name the etag that the file has, %s", file.Etag)}
	}
	if code != 409 {
		return []history.Miss{missOf(openwop.OWPWSP14, s.Out.Status, "HTTP 409")}
	}
	at := s.Out.Body.At("/details/currentVersion")
	if current, ok := at.Int(); !ok || file.Sure && current != file.Version || current < file.Version {
		out = append(out, missOf(openwop.OWPWSP14, at, "version %d", file.Version))
	}
	return out
}

// wins is the sentence that a write with another etag breaks: of several at once one wins.
func wins(s fileStep) scenarios.RequirementID {
	if s.Out.Beside {
		return openwop.OWPWSP16
	}
	return openwop.OWPWSP13
}

// dropped returns the files after a delete. The delete may have a version of its own.
func (f Files) dropped(s fileStep) Files {
	file := f.at(s.In)
	former := [len(file.Former)]string{file.Etag, file.Former[0], file.Former[1]}
	gone := File{Version: file.Version, Former: former}
	if file.Sure {
		gone.Dropped = file.Version
	}
	f.Files[s.In.Path] = gone
	return f
}
