// Package pagetemplate finds values that a template inserts into a page without escaping
// them (B2). It matches lines with the patterns of rules/pagetemplate.yaml; package
// codepattern handles code.
package pagetemplate
