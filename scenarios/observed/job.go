package observed

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/openassay/assay/scenarios/wire"
)

// aPlugin is the origin of turns whose command nobody recorded.
const aPlugin = "a plugin"

// mostExit is the largest exit code of a process that ended by itself. Shells add the number of a signal to it.
const mostExit = 128

// job adds a turn of a plugin from files: NAME.request.json holds what it read, NAME.response.json what it printed, and NAME.exit its exit
// code; or those stand in a folder of their own, without the name. Turns follow one another by the times of their requests.
func (x *index) job(name string) error {
	input, err := x.content(name)
	if input == nil {
		return err
	}
	stem := strings.TrimSuffix(name, "request.json")
	output, err := x.content(stem + "response.json")
	if errors.Is(err, fs.ErrNotExist) {
		x.leave(name, fmt.Errorf("its answer, %sresponse.json, is not there", stem))
		return nil
	}
	if output == nil {
		return err
	}
	info, err := fs.Stat(x.store.folder, name)
	if err != nil {
		return err
	}
	unknown := 0
	turn := wire.Spawned{Exit: &unknown, Ended: "its exit code was not recorded",
		Input: string(input), InputBytes: int64(len(input)), Output: string(output), OutputBytes: int64(len(output))}
	told, err := fs.ReadFile(x.store.folder, stem+"exit")
	switch code, unreadable := strconv.Atoi(strings.TrimSpace(string(told))); {
	case err == nil && unreadable == nil && code > mostExit:
		turn.Exit, turn.Ended = nil, fmt.Sprintf("signal: %d", code-mostExit)
	case err == nil && unreadable == nil:
		turn.Exit, turn.Ended = &code, ""
	case err == nil:
		x.leave(stem+"exit", errors.New("it holds no exit code"))
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	x.files++
	return x.keep(wire.Entry{Kind: "process", At: info.ModTime().UTC(), Label: name, Process: &turn}, name, 0)
}
