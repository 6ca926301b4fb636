package reports

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/openassay/assay/scenarios"
)

// EarlierSuffix ends the names of files of an earlier run that a later one has set aside.
const EarlierSuffix = ".earlier"

// told are the files of a folder that read as a certification. results.json comes first: without it the folder is none.
var told = []string{ResultsName, ReportName, MatrixName, JUnitName, CTRFName, SARIFName}

// SetAside renames the reports of an earlier run in a folder, and removes its badges. Call it before a target is certified:
// a run that cannot write its own reports must not appear to have written these. [Write] deletes the renamed files once it
// has written the new ones.
func SetAside(dir string) error {
	for _, name := range told {
		if err := SetFileAside(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return removeStaleBadges(dir, nil)
}

// SetRepetitionsAside does the same with what an earlier run has in the folders of its repetitions.
func SetRepetitionsAside(dir string) error {
	for n := 1; ; n++ {
		below := filepath.Join(dir, scenarios.RepetitionDir(n))
		if _, err := os.Stat(below); err != nil {
			return nil
		}
		if err := SetAside(below); err != nil {
			return err
		}
	}
}

// SetFileAside renames a file of an earlier run. If renaming fails, it deletes the file: a new name may need disk space.
// It ignores paths that do not exist and those of devices and other special files.
func SetFileAside(path string) error {
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil
	}
	if os.Rename(path, path+EarlierSuffix) == nil {
		return nil
	}
	return os.Remove(path)
}

// TakeBack undoes [SetAside], but for the badges, after a run that drove nothing. results.json comes last.
func TakeBack(dir string) error {
	var problems []error
	for i := range told {
		problems = append(problems, TakeFileBack(filepath.Join(dir, told[len(told)-1-i])))
	}
	return errors.Join(problems...)
}

// TakeFileBack undoes [SetFileAside].
func TakeFileBack(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	if err := os.Rename(path+EarlierSuffix, path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// removeEarlier deletes the files of a report folder that SetAside renamed.
func removeEarlier(dir string) error {
	for _, name := range told {
		if err := os.Remove(filepath.Join(dir, name+EarlierSuffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Earlier says of a file that is not there that a later run has set it aside, and has put nothing in its place; "" if that
// is not so.
func Earlier(path string) string {
	info, err := os.Lstat(path + EarlierSuffix)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("the last certification wrote none, or is under way: %s is of an earlier one, of %s", path+EarlierSuffix,
		info.ModTime().UTC().Format(time.RFC3339))
}
