package hookapi

import "sync"

// responses keeps the order of a session's calls where recording one takes long. At the end of a response the
// workspace is looked at first, and on a busy machine the agent goes on before that is over: its next call would be
// recorded before the end of the response, whose last message would then be taken for a turn of its own.
type responses struct {
	mu      sync.Mutex
	pending map[string]<-chan struct{} // by session: open while the end of a response is being recorded
}

func newResponses() *responses { return &responses{pending: map[string]<-chan struct{}{}} }

// nothing is what a call waits for that has nothing to wait for.
var nothing = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// order returns what to wait for before a call is recorded, and what to do once it is. Only the end of a response
// makes later calls wait, at most as long as recording is retried.
func (r *responses) order(session string, ends bool) (earlier <-chan struct{}, recorded func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	earlier = nothing
	if c, is := r.pending[session]; is {
		earlier = c
	}
	if !ends {
		return earlier, func() {}
	}
	own := make(chan struct{})
	r.pending[session] = own
	return earlier, func() {
		close(own)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.pending[session] == own {
			delete(r.pending, session)
		}
	}
}
