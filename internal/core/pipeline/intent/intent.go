// Package intent is the intent part of the pipeline layer (PL-30 … PL-39).
package intent
