package workflow

// MaxDelay keeps a delay within what a timer can hold; it is some 31 years.
const MaxDelay = 1e12
