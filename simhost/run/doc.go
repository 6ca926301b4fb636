// Package run is the engine of the simulated host: it runs workflows, and a run is nothing but its log.
//
// # A run is a log
//
// One append to the log of a run is one Record: public events, and facts that the host must remember and no public
// payload has a home for. The state of a run is the fold of its records over its workflow definition (Fold). Whatever
// is held in memory beside that can be made again from the log: which timer is set, whom to wake, what a stream still
// has to see. So a process may die between any two appends and the next one goes on (Engine.Resume).
//
// # One step at a time
//
// What a run does next is a pure function of its state, the time, and what was seen outside (an answer, a child, a
// request to stop): move.step. A step adds at most one event. Steps follow one another until the run must wait, and
// everything in between is one append: a workflow that waits for nothing is a single append. Since any prefix of a log
// is a state from which the steps go on, an append may be cut anywhere and a fork may begin anywhere.
//
// # Waiting
//
// A run waits for a child to end, for an interrupt to be resolved, for a timer, or for nothing more: it ended. Every
// run has a lock; a run may be locked while its parent is, never the other way round: a child that ends wakes its
// parent through a goroutine that holds no lock.
//
// What spans two logs is written down first. A child's id derives from the event that announces it, so that creating it
// again finds the one that is there; so does the origin of a write to a store. Stopping a parent is a fact in its log,
// then its child is stopped, or its write carried out, then the parent's log gets its last events.
//
// When the log fails, what is in memory may be ahead of it: the run is forgotten, its watchers look into the log, and
// after a while it is loaded again and goes on from there.
//
// # Workflows
//
// Nodes run one after another: first those that belong to no loop, in topological order, in the order of the definition
// where that leaves a choice; then the supervisor's loop, of which there may be one. A decision to terminate ends the
// run, so nothing can stand behind a loop. Node types: core.noop; core.identity, whose outputs are its inputs, or the
// variables where it has no inputs; core.delay (port or config delayMs, or config durationMs); core.fail (config code,
// message); core.orchestrator.supervisor; core.dispatch; and
// vendor.openassay.random, of ours, whose output "value" is 32 random hex digits. What a definition asks for and the engine does not do
// (conditions, expressions, channels, masking) is refused when a run is created, not passed over. Its settings and
// metadata are for editors and catalogues: bounds come from the run's configurable and the host's limits.
//
// The inputs of a run are the first values of the variables of those names.
//
// # The loop
//
// A turn of the loop is one decision of the supervisor (RFC 0037, RFC 0061). The supervisor's script is read again
// every turn, from the port or config mockDispatchPlan, or config mockDecisions: one decision a turn; when it has run
// out, the decision is to terminate. Without a script it is one turn of conformance-noop, then terminate.
//
// Turn i is over when its decision has been carried out. An ask-user decision of turn i suspends the supervisor's node;
// the answer ends turn i, becomes the variable "answer", and turn i+1 begins. A decision that is held, because its
// confidence is below the floor, is carried out after the answer, in the same turn; an approval that rejects it ends
// the turn without. A decision held because the agent itself was not sure (mockConfidence below escalationThreshold) is
// not on the log before somebody accepts it; rejected, the supervisor decides again in the same turn.
//
// # What a turn reads
//
// A host may have a workspace and a memory. What a run sees of them is a View: which files there were, at which versions,
// and how many entries the memory had. It is taken when the run is created, and from version 5 on again when a turn of the
// loop begins (RFC 0059 D, RFC 0061 C); it stands in the log, and whatever a turn reads is read through it. So a turn
// that was suspended, or whose host was started again, still reads what it read before, and what it writes is seen
// by the next turn and not by itself. Below version 5 that is by no turn of this run.
//
// The supervisor's script says what turns read and write. Port or config mockReads, {workspace: [path], memory: [tag]}, is
// what they look at; config mockNotes names the variable to which each turn adds what it saw: {iteration, at: "begin"
// or "end", workspace: [{path, version, content}], memory: [{content, tags}]}. A file that is not there has version 0
// and no content. The first note comes before everything else in the turn, the last one when the turn is over. Port or
// config mockWrites, an array of arrays of {path, content} or {memory: {content, tags}}, is what each turn writes,
// right after its first note. A write that the store refuses fails the node with the store's code. A workflow that
// reads or writes what the host does not have is refused.
//
// # Answers
//
// A clarification asks one question, whose schema is config mockAnswerSchema, or else some text. An interrupt is answered
// at its node or by its id, once.
//
// # Forks
//
// A fork in mode replay begins with the source's events below fromSeq, word for word but for ids and times. From there
// it is run again, and wherever a run looks outside (what the supervisor decides, what a turn sees and what became of its
// writes, how a child ended, what a person answered, when it was too late) it looks into the source's log instead. Where
// the source's log ends, because that run is suspended, the fork waits on its own. A source that is under way is
// refused: its fork would have to share its children.
//
// A fork in mode branch takes over the same events, and from there on looks outside as any run does: it is as if the source
// stood at that event and went on now. What began in that part of the log and did not end there the branch ends by itself: a
// child that was under way is created anew and an interrupt that was open is open again, both under ids of the branch's own,
// which stand in the events that it took over as well; a delay begins anew; a turn sees what it saw. A child that had ended
// stays the source's. Where the source was being stopped, so is the branch. Its bounds are those of its own options, and
// count what it took over, but for the time.
package run
