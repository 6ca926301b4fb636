// Package codes names what the engine refuses and how runs fail.
package codes
