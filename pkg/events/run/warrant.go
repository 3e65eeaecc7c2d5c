package run

// WarrantBasis is the rule that decided whether a break was warranted.
type WarrantBasis string

// Bases of a verdict on a break. The comment says what happened after it.
const (
	BasisSameTriggerOpen  WarrantBasis = "same_trigger_while_it_stood" // the trigger recurred while the break was open
	BasisSameTriggerAgain WarrantBasis = "same_trigger_again"          // the trigger recurred after a resume
	BasisTakenBack        WarrantBasis = "work_taken_back"             // the merge was reverted
	BasisFixed            WarrantBasis = "cause_fixed"                 // a person fixed the cause and resumed
	BasisRedone           WarrantBasis = "work_redone"                 // a person chose to redo the work
	BasisFailedAfter      WarrantBasis = "failed_after_resume"         // the run failed although it was resumed
	BasisNotTakenUp       WarrantBasis = "not_taken_up"                // the run ended without being resumed
	BasisFinishedTask     WarrantBasis = "finished_what_was_begun"     // the run finished its task and succeeded
	BasisSucceededAlone   WarrantBasis = "succeeded_without_resume"    // the run succeeded without a resume
	BasisOtherBreak       WarrantBasis = "broke_otherwise"             // it broke again for another reason
	BasisBoundaryMoved    WarrantBasis = "boundary_moved"              // a person raised or lifted a limit
	BasisAccepted         WarrantBasis = "accepted_as_it_is"           // a person accepted the work as it is
	BasisSucceededAfter   WarrantBasis = "succeeded_after_resume"      // the run succeeded after a resume
	BasisQuietAfter       WarrantBasis = "quiet_after_resume"          // the trigger did not recur
	BasisUpgraded         WarrantBasis = "upgraded"                    // a hard break replaced it
	BasisGoesOn           WarrantBasis = "goes_on"                     // it was resumed and continues
	BasisStands           WarrantBasis = "stands"                      // neither resumed nor ended
	BasisNotRecorded      WarrantBasis = "not_recorded"                // no verdict is recorded
)
