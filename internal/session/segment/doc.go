// Package segment cuts a turn into segments: PLAN, TOOL, DIFF, ERROR, todo and USER (SW-1
// … SW-6), and detects natural pauses (DP-16). Input is already redacted (SW-7); ingest
// handles numbering, duplicates and forks.
//
// # Offsets
//
// A segment's Offset and Length are bytes into the turn's canonical text: the texts of
// its blocks in order, joined by one newline each, where a block's text is its Text
// (user, text, thinking), its Input as raw JSON (tool_call) or its Output (tool_result);
// of a Markdown turn it is Text. PLAN and USER point at their own words, TOOL, todo and
// DIFF at the call, or at the fence with the code, ERROR at the excerpt of the result.
//
// # Order
//
// Segments are in the order of the text and the calls; the ERROR of a call follows the
// TOOL or DIFF of that call, even if its result comes later.
package segment
