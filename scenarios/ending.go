package scenarios

// ended is the panic of a drive that ends from inside.
type ended struct{ err error }

// End ends the drive unless err is nil, as Fatal ends a test. What the drive has seen by then is kept; see [Drive.Run]
// for the effect of err. Call it in the drive's own goroutine, or in one of [Conn.AtOnce].
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

// Get2 is like [Get], with two values.
func Get2[T, U any](v T, w U, err error) (T, U) {
	End(err)
	return v, w
}

// Try runs part of a drive, and returns the error that would have ended the drive, nil if there is none.
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

// Attempt is like [Try], for a part that returns a value.
func Attempt[T any](part func() T) (v T, err error) {
	err = Try(func() { v = part() })
	return v, err
}
