// Package explore makes histories that nobody thought of: several clients at once do legal and illegal things to objects of a
// target, drawn by weights that turn towards what was not done yet, and a model says of each whether it explains what they saw. A
// history that it does not explain is made small and asked again. It knows no protocol.
package explore
