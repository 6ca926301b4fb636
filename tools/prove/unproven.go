package prove

// checkID names what a scenario asks about a requirement.
type checkID struct{ scenario, requirement string }

// unproven says of checks that kill no fault what they are for, where the requirement alone does not tell.
var unproven = map[checkID]string{}

// Unbroken says of requirements that hosts MUST keep, and that are asked about, why no fault breaks them.
var Unbroken = map[string]string{}
