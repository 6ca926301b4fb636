// Package engine documents the engine of the simulated host. It runs workflows, and a run is nothing but its log. Its
// rooms follow a run, and each uses only those before it:
//
//   - codes: what the engine refuses, and how runs fail
//   - workflow: a definition is compiled into a program
//   - state: the log of a run is folded to its state
//   - step: a state takes its next step
//   - live: a run that waits, wakes and is watched
//
// # A run is a log
//
// One append to the log of a run is one Record: public events, and facts that the host must remember and no public
// payload has a home for. The state of a run is the fold of its records over its workflow definition (state.State.Fold). Whatever
// is held in memory beside that can be made again from the log: which timer is set, whom to wake, what a stream still
// has to see. So a process may die between any two appends and the next one goes on (live.Engine.Resume).
//
// # One step at a time
//
// What a run does next is a pure function of its state, the time, and what was seen outside (an answer, a child, a
// request to stop): step.Move. A step adds at most one event. Steps follow one another until the run must wait, and
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
// A host may be set to see late that a child has ended (Options.ChildLag), and to let a run that was answered go on late
// (Options.AnswerLag). Both go by the clock, and neither changes more of a log than its times.
//
// # Workflows
//
// Nodes run one after another: first those that belong to no loop, in topological order, in the order of the definition
// where that leaves a choice; then the supervisor's loop, of which there may be one. A decision to terminate ends the
// run, so nothing can stand behind a loop. Node types: core.noop; core.identity, whose outputs are its inputs, or the
// variables where it has no inputs; core.delay (port or config delayMs, or config durationMs); core.fail (config code,
// message); core.ai.structuredOutput, whose output "output" is the JSON that the model of config provider mock answers, held
// to config outputSchema; the gates below; core.orchestrator.supervisor; core.dispatch; and
// vendor.openassay.random, of ours (vendor.sample.random is the same), whose output "value" is 32 random hex digits. What a
// definition asks for and the engine does not do (conditions, expressions, channels, masking) is refused when a run is
// created, not passed over. Its settings and metadata are for editors and catalogues: bounds come from the run's
// configurable and the host's limits.
//
// The inputs of a run are the first values of the variables of those names.
//
// # Gates
//
// Three node types raise an interrupt and wait: core.approvalGate, core.clarificationGate, and core.interrupt with config kind
// external-event. What they show is read when they ask, from ports or else from the config: title, description, artifactId,
// artifactType, artifactData, actions, requiredApprovals, rejectionPolicy and approversList; questions and contextType;
// eventType and correlation, also from config data; and timeoutMs for all of them. What resolved them is their output and the
// variable "answer"; the artifact that was accepted, as it was shown or as it was edited, their output and the variable
// "artifact".
//
// An approval that is rejected fails its node. One that is asked about (ask, refine) is requested once more, as another
// interrupt whose description is the question, up to 64 times at one gate. Where several must approve, a vote is a fact with
// the whole answer and an event with who voted what; the vote that decides resolves the interrupt with its answer. Everybody
// votes once a round (As says who answers), and a token does not vote. When timeoutMs is over, an approval is rejected by
// itself, any other gate fails; an answer that comes at that moment or later is refused, whether or not the alarm has rung.
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
// A child has its parent's memory from version 2 on (RFC 0039): it begins with what that holds when it is created, and what it
// writes is its own until it completes. Then its parent has it, before the parent's log says that the child is done, and
// every time stays what it was. A child that fails or is stopped leaves nothing. Where turns do not see stores anew, they see
// at least what children have brought. Below version 2 every run has the memory that its agent names, at once.
//
// The supervisor's script says what turns read and write. Port or config mockReads, {workspace: [path], memory: [tag]}, is
// what they look at; config mockNotes names the variable to which each turn adds what it saw: {iteration, at: "begin"
// or "end", workspace: [{path, version, content}], memory: [{id, content, tags, createdAt, expiresAt}]}. A file that is
// not there has version 0
// and no content. The first note comes before everything else in the turn, the last one when the turn is over. Port or
// config mockWrites, an array of arrays of {path, content} or {memory: {content, tags, ttlMs}}, is what each turn writes,
// right after its first note. A write that the store refuses fails the node with the store's code. A workflow that
// reads or writes what the host does not have is refused.
//
// # Children on other hosts
//
// A worker NAME/WORKFLOW runs on the peer of that name (Peer). A courier goes there for it, a goroutine without the parent's
// lock: it has the child created, waits for its end, and stops it when the parent is to stop; what it finds out wakes the
// parent. The id that a child would have here is the key under which the peer makes it, so that asking twice makes one. A
// step that says how such a child ended is caused by the event there that ended it. A peer that does not answer is asked
// again for a while; then the child is one that could not be created, or that failed.
//
// # Verdicts
//
// From version 6 on a host may have a verifier (RFC 0090). The port or config mockVerdicts, an array of {verdict, criteria,
// confidence}, says what it finds: each result that is to count takes the next, and where there is none left it counts without.
// A result is what a completed child is to bring back, judged before it is harvested, and a decision to terminate, judged
// before the run is completed. Where the verifier gates, fail and revise withhold what the child brings back, and the loop goes
// on; at the end of the run revise begins another turn, and fail fails the run. A decision to terminate with a criterion of
// success that is not met is no success: the run fails, whatever the verdict was.
//
// # Answers
//
// A clarification asks one question, whose schema is config mockAnswerSchema, or else some text. An interrupt is answered
// at its node or by its id, once.
//
// # Pauses
//
// A run that is paused takes no step: its log gets nothing but run.resumed, or its end. To be paused, and to go on, is on the
// log, so it survives the process and is part of every fork. A pause that is to drain waits until no node is under way; one
// that waits for an answer is not, so a suspended run is paused at once. What a run waits for goes on while it stands still:
// a delay whose time has come ends when the run goes on, and an interrupt stays open, but an answer is refused until then.
// The bound on the run's time goes on as well, or a pause would lift it: a paused run that is over its time fails, and it can
// be cancelled. A pause is one run's own: children go on, and their parent takes up how they ended when it goes on itself.
//
// A replay is paused where its source was and goes on where that did, without standing still. A branch that leaves its source
// while that is paused begins paused.
//
// # Forks
//
// A fork in mode replay begins with the source's events below fromSeq, word for word but for ids and times. From there
// it is run again, and wherever a run looks outside (what the supervisor decides, what a turn sees and what became of its
// writes, how a child ended, what a person answered, when it was too late) it looks into the source's log instead. Where
// the source's log ends, because that run is suspended, the fork waits on its own. A source that is under way is
// refused: its fork would have to share its children.
//
// The model of a node is asked again in a replay, from version 4 on (RFC 0041), and what is recorded is taken all the same. An
// answer that differs is told, which makes the fork's log an event longer than its source's. Where one of the two answers is
// a refusal, that is told and the replay fails. Who has nothing programmed to say has nothing to say in a replay.
//
// A fork in mode branch takes over the same events, and from there on looks outside as any run does: it is as if the source
// stood at that event and went on now. What began in that part of the log and did not end there the branch ends by itself: a
// child that was under way is created anew and an interrupt that was open is open again, both under ids of the branch's own,
// which stand in the events that it took over as well; a delay begins anew; a turn sees what it saw. A child that had ended
// stays the source's. Where the source was being stopped, so is the branch. Its bounds are those of its own options, and
// count what it took over, but for the time.
//
// From version 2 on a fork that looks outside remembers what its source remembered at that event, as the source's log tells it,
// and what it writes itself is nobody else's (RFC 0039). Where the host no longer keeps that, the fork is refused.
package engine
