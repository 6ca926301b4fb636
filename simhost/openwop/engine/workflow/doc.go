// Package workflow compiles a workflow definition into a program that can be run, or refuses it. A program says in which
// order nodes run, where their inputs come from, and what their configuration asks for; it does not change.
package workflow
