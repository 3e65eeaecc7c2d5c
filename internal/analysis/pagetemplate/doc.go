// Package pagetemplate finds values that a template puts into a page without escaping them (B2). It
// reads lines by the patterns of rules/pagetemplate.yaml; code has package codepattern.
package pagetemplate
