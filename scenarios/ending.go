package scenarios

// What goes wrong with a drive's own plumbing (no answer, a set-up that is blocked, a deadline) ends the drive from inside, as
// Fatal ends a test: drives and what they call say [End], and have no errors to hand on. What the drive has seen by then is
// kept. A drive calls it in its own goroutine, or in one of [Conn.AtOnce].

// ended is what a drive panics with that ends from inside.
type ended struct{ err error }

// End ends the drive unless err is nil: see [Drive.Run] for what becomes of err.
func End(err error) {
	if err != nil {
		panic(ended{err})
	}
}

// Get returns v, unless err ends the drive.
func Get[T any](v T, err error) T {
	End(err)
	return v
}

// Get2 is [Get] for two values.
func Get2[T, U any](v T, w U, err error) (T, U) {
	End(err)
	return v, w
}

// Try runs part of a drive, and returns what would have ended the drive in it, nil where nothing did.
func Try(part func()) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case ended:
			err = p.err
		default:
			panic(p)
		}
	}()
	part()
	return nil
}

// Attempt is [Try] for a part that returns a value.
func Attempt[T any](part func() T) (v T, err error) {
	err = Try(func() { v = part() })
	return v, err
}
