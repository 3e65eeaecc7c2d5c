// Package session holds the payloads of events about sessions: what publishers send about
// an agent's turns, the segments they are cut into, the signals that detectors find and
// what the dispatcher decides about them. The constants Type… name the event types;
// package events holds their envelope and codec.
package session
