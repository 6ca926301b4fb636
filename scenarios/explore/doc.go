// Package explore draws random histories and checks them against a model. Several clients take legal and illegal steps on objects of
// a target at once. Steps that the model's rules have met least are preferred. A history that the model does not explain is shrunk by
// asking the target again. The package knows no protocol.
package explore
