package listed

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// Late returns faulty rules that answer honestly the first n-1 times that honest and faulty answers differ. All rules that a fault
// replaces share these n-1 times.
// A rule keeps no state, so what counts is what it is asked: asked the same again, it answers the same. One that is asked about
// nothing but words, numbers and JSON, as whether a status may follow another, how many members wait or what a key may do, would be asked
// the same each time: there each question counts. S is a struct of structs of functions.
func Late[S any](honest, faulty S, n int) S {
	if n <= 1 {
		return faulty
	}
	late, chances := faulty, &chances{left: n - 1, passed: map[string]bool{}}
	themes := reflect.ValueOf(&late).Elem()
	for i := range themes.NumField() {
		for j := range themes.Field(i).NumField() {
			rule := themes.Field(i).Field(j)
			own := reflect.ValueOf(&honest).Elem().Field(i).Field(j)
			if rule.Kind() == reflect.Func && value(rule) != value(own) {
				rule.Set(chances.from(own, reflect.ValueOf(rule.Interface()), fmt.Sprint(i, ".", j, ";")))
			}
		}
	}
	return late
}

// value tells a function from others of the same code with other variables around it, which reflect does not.
func value(f reflect.Value) unsafe.Pointer { return *(*unsafe.Pointer)(f.Addr().UnsafePointer()) }

// chances counts the honest answers that the rules of a fault may still give, and remembers the questions that got one.
type chances struct {
	mu     sync.Mutex
	left   int
	passed map[string]bool
}

// from returns a rule that answers honestly while honest answers are left. A question that names an object keeps its answer.
func (c *chances) from(honest, faulty reflect.Value, rule string) reflect.Value {
	nameless := isNameless(honest.Type())
	return reflect.MakeFunc(honest.Type(), func(about []reflect.Value) []reflect.Value {
		right, wrong := honest.Call(about), faulty.Call(about)
		if same(right, wrong) {
			return right
		}
		question := ""
		if !nameless {
			question = rule
			for _, a := range about {
				question += said(a)
			}
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		switch {
		case c.passed[question]:
			return right
		case c.left == 0:
			return wrong
		}
		c.left--
		c.passed[question] = !nameless
		return right
	})
}

// isNameless reports whether a rule is asked about words, numbers, JSON, yes or no, and lists and structs of them alone.
func isNameless(rule reflect.Type) bool {
	for a := range rule.Ins() {
		if !isWords(a) {
			return false
		}
	}
	return true
}

// isWords reports whether values of a type name no object: those of a struct do if a member's name ends in ID or Path.
func isWords(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64, reflect.Func, reflect.Interface, reflect.Uint8:
		return true
	case reflect.Slice, reflect.Pointer, reflect.Map:
		return isWords(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if !isWords(f.Type) || slices.ContainsFunc([]string{"ID", "Path"}, func(end string) bool { return strings.HasSuffix(f.Name, end) }) {
				return false
			}
		}
		return t.NumField() > 0
	}
	return false
}

// said is what an argument says. A function in it says nothing: the next one asks the same.
func said(a reflect.Value) string {
	if a.Kind() == reflect.Struct {
		plain := reflect.New(a.Type()).Elem()
		plain.Set(a)
		for i := range plain.NumField() {
			if f := plain.Field(i); f.Kind() == reflect.Func && f.CanSet() {
				f.SetZero()
			}
		}
		a = plain
	}
	if a.Kind() == reflect.Func {
		return ";"
	}
	return fmt.Sprintf("%+v;", a.Interface())
}

func same(a, b []reflect.Value) bool {
	for i := range a {
		if !reflect.DeepEqual(a[i].Interface(), b[i].Interface()) {
			return false
		}
	}
	return true
}
