// Package loose decodes JSON fields whose type differs between versions of a format: text that is a string,
// a list of parts or an object; times as text or numbers; arguments as JSON or as a string that contains
// JSON. Decoding never fails because of a type: what is not understood is empty.
package loose
