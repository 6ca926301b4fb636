package faultflag

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/openassay/assay/simhost/param"
)

func settle(t *testing.T, args ...string) ([]string, error) {
	t.Helper()
	var f Flags
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	f.Register(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	err := f.Settle(func(spec string) ([]param.Param, error) {
		if id, _ := param.Split(spec); id == "none" {
			return nil, errors.New("there is none")
		}
		return []param.Param{{Name: "from", Least: 1, Most: 9}, param.Tenant}, nil
	})
	return f.Specs, err
}

func TestSettle(t *testing.T) {
	specs, err := settle(t, "--fault", "a:from=2,tenant=b,c", "--fault", "d")
	if want := []string{"a:from=2,tenant=b", "c", "d"}; err != nil || !slices.Equal(specs, want) {
		t.Errorf("%v, %v; want %v", specs, err, want)
	}
	drawn := map[string]bool{}
	for _, seed := range []string{"1", "2", "3", "4", "5", "6"} {
		specs, err := settle(t, "--fault", "a,b:from=7", "--fault-draw", seed)
		if err != nil || specs[1] != "b:from=7" || !strings.HasPrefix(specs[0], "a:from=") {
			t.Fatalf("seed %s: %v, %v", seed, specs, err)
		}
		if again, _ := settle(t, "--fault", "x,a", "--fault-draw", seed); again[1] != specs[0] {
			t.Errorf("seed %s: %s, and beside another fault %s", seed, specs[0], again[1])
		}
		drawn[specs[0]] = true
	}
	if len(drawn) < 3 {
		t.Errorf("six seeds draw %v", drawn)
	}
	if _, err := settle(t, "--fault", "none"); err == nil {
		t.Error("a fault that is not there passes")
	}
	if _, err := settle(t, "--fault-draw", "3"); err == nil {
		t.Error("a draw of nothing passes")
	}
}
