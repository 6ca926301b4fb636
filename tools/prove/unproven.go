package prove

// checkID names what a scenario asks about a requirement.
type checkID struct{ scenario, requirement string }

// unproven says of checks that kill no fault what they are for, where the requirement alone does not tell.
var unproven = map[checkID]string{}
