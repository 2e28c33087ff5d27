/// A fault that is built in on purpose at one of the machine's boundaries, to see that the simulation finds it.
package enum Sabotage: String, Sendable, CaseIterable {
    /// The store loses a row of its outbox.
    case loseRow
    /// A provider's acceptance is made up.
    case forgeAcceptance
    /// Nobody pulls when the machine says that there is work.
    case ignoreWakes
    /// A push is handed out a second time before its answer.
    case sendTwice
    /// Rows are handed to the machine youngest first.
    case reverseRows
    /// The machine is not told new unread counts.
    case hideUnread
    /// A device shows the badge before last again.
    case showOldBadge
    /// The store forgets to count a message as unread.
    case miscount
    /// The machine is not told that registrations ended or were narrowed.
    case hideEnded
    /// The machine is not told what an erasure ended.
    case hideErased
    /// The store leaves an erased consumer's registrations as they are.
    case keepErased
    /// The store ends a stranger's registration with those of an erased consumer or a deleted app.
    case endOthers
    /// The store does not note that devices are heard of.
    case forgetSightings
    /// The machine is not told that lanes were deleted.
    case keepLane
    /// The store registers devices over lanes that were deleted.
    case findOldLane
    /// The store removes another brand's row with those of a deleted one.
    case removeOthers
    /// The machine is not told new tokens.
    case hideToken
    /// The machine is not told of reads.
    case hideRead
    /// The machine is not told of consumers that were merged.
    case hideMerge
    /// The store forgets what a consumer that is merged had unread.
    case miscountMerge
    /// The machine is not told what collapsed.
    case hideCollapsed
    /// The store collapses nothing.
    case skipCollapse
    /// The machine believes that nothing expires.
    case hideExpiry
    /// A provider delivers a push twice.
    case deliverTwice
    /// The store hands out more rows than there are slots.
    case overfill
    /// A row is handed to the machine twice.
    case handTwice
    /// A row that nobody owns is handed to the machine.
    case handUnowned
    /// An outcome never reaches the store.
    case forgetOutcome
    /// A row that is owned never reaches the machine.
    case leakRow
    /// A conversation skips a number.
    case skipSequence
    /// A replay is stored as if it were new.
    case countReplay
    /// The machine is not told what waits in the store.
    case hideBacklog
    /// The writer forgets that a window closed.
    case forgetRelease
    /// A start leaves what was held for windows of the process before.
    case strandHeld
    /// The store takes what a closed window held for acknowledged.
    case suppressReleased
    /// The machine does not know when it is quiet.
    case hideQuietHours
    /// The store is not told that the quiet hours for which rows wait are others now.
    case hideRequeue
    /// What a summary stood for is written down in a later turn than the summary.
    case splitSummary
    /// The machine does not know from how many messages on there is a summary.
    case hideThreshold
    /// The machine is not told how long a provider wants to be left alone.
    case hideRetryAfter
    /// The machine is not told that a provider cannot reach the devices of a platform.
    case hidePlatform
    /// A provider that was replaced goes on taking pushes.
    case keepProvider
    /// Somebody who asked is not answered.
    case loseAnswer
    /// The store knows of no share of a device.
    case crowdDevice
    /// The store is not told that what it left of a device is wanted.
    case forgetRecall
    /// The machine takes what is proactive for an agent's.
    case mixClasses
    /// The store knows of no share of proactive rows.
    case crowdLane
    /// The machine does not know campaigns' paces.
    case hidePace
    /// The machine believes that lanes have a thousand times as many devices.
    case multiplyDevices
    /// The store hands devices out in the order of their numbers.
    case favourDevices
    /// A brand's requests are kept from the machine while others wait.
    case starveBrand
    /// The machine knows no bound of what may wait.
    case unboundQueues
    /// The store makes no badges after a read.
    case loseBadges
    /// Windows are not told news.
    case loseNews
    /// A window that opens is not told what was there before.
    case skipHistory
    /// The machine does not know that the clock may be wrong.
    case hideDoubt
    /// The machine believes that everything expires in a second.
    case shortenTime
    /// A provider asks for more than it has room for.
    case takeTooMany
    /// Operators are told nothing.
    case hideAlerts
    /// The machine believes that the disk is full.
    case inventFault
    /// The writer does not wait after the store has failed.
    case hurryStore
    /// The machine takes a refusal of one push for a passing fault.
    case softenRefusal
    /// The machine does not know what providers take.
    case hideQuota
    /// The machine lets records wait for a minute.
    case hoardRecords
    /// New rows get no slots.
    case closeLanes
    /// A part of the machine is told other things than its model.
    case distortParts

    /// The invariant that it breaks.
    package var breaks: Invariant {
        switch self {
        case .loseRow: .acceptedIsKept
        case .forgeAcceptance: .acceptedWasTaken
        case .ignoreWakes: .everythingEnds
        case .sendTwice: .oneInFlight
        case .reverseRows: .deviceOrder
        case .hideUnread, .hideMerge: .badgeIsTrue
        case .showOldBadge: .badgeNeverFalls
        case .miscount, .miscountMerge: .unreadIsExact
        case .hideEnded: .nothingAfterEnd
        case .hideErased, .keepErased: .erasedIsGone
        case .endOthers, .forgetSightings: .registrationsAreKept
        case .keepLane, .findOldLane: .removedIsOver
        case .removeOthers: .acceptedIsKept
        case .hideToken: .tokenIsCurrent
        case .hideRead: .nothingRead
        case .hideCollapsed, .skipCollapse: .nothingCollapsed
        case .hideExpiry: .nothingExpired
        case .deliverTwice: .duplicatesExplained
        case .overfill: .memoryBound
        case .handTwice: .countersAgree
        case .handUnowned: .ownershipAgrees
        case .forgetOutcome, .leakRow: .nothingForgotten
        case .skipSequence: .sequenceDense
        case .countReplay: .replayCountsNothing
        case .hideBacklog: .workIsPlanned
        case .forgetRelease, .strandHeld: .heldForAWindow
        case .suppressReleased: .suppressedWasRead
        case .hideQuietHours: .quietIsKept
        case .hideRequeue: .quietEnds
        case .splitSummary: .summaryStands
        case .hideThreshold: .stormIsSummed
        case .hideRetryAfter, .hidePlatform: .waitsAreKept
        case .keepProvider: .settingsAreCurrent
        case .loseAnswer: .everybodyIsAnswered
        case .crowdDevice: .deviceShare
        case .forgetRecall: .everythingEnds
        case .mixClasses: .classOrder
        case .crowdLane: .classShare
        case .hidePace: .paceIsKept
        case .multiplyDevices: .registrationsAreKept
        case .favourDevices: .devicesTakeTurns
        case .starveBrand: .brandsTakeTurns
        case .unboundQueues: .queuesAreBounded
        case .loseBadges: .badgesAreMade
        case .loseNews, .skipHistory: .heldIsTold
        case .hideDoubt: .doubtIsKept
        case .shortenTime: .timeIsKept
        case .takeTooMany: .roomIsUsed
        case .hideAlerts: .operatorsAreTold
        case .inventFault: .takesWhatItCan
        case .hurryStore: .storeIsSpared
        case .softenRefusal: .answersAreFollowed
        case .hideQuota: .quotaIsKept
        case .hoardRecords: .recordsAreTimely
        case .closeLanes: .turnsAreFull
        case .distortParts: .partsAgree
        }
    }

    /// The fault of the store that it is, if it is one.
    var flaw: StoreFlaw? {
        switch self {
        case .loseRow: .losesRow
        case .miscount: .miscounts
        case .miscountMerge: .mergesUncounted
        case .skipCollapse: .keepsCollapsed
        case .skipSequence: .skipsSequence
        case .countReplay: .countsReplay
        case .strandHeld: .strandsHeld
        case .suppressReleased: .suppressesReleased
        case .favourDevices: .favoursDevices
        case .loseBadges: .losesBadges
        case .keepErased: .keepsErased
        case .endOthers: .endsOthers
        case .forgetSightings: .forgetsSightings
        case .findOldLane: .findsOldLane
        case .removeOthers: .removesOthers
        default: nil
        }
    }
}
