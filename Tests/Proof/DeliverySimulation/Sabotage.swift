/// A fault that is injected on purpose at one of the state machine's boundaries, to check that the simulation finds it.
package enum Sabotage: String, Sendable, CaseIterable {
    /// The store loses a row of its outbox.
    case loseRow
    /// A provider's acceptance is forged.
    case forgeAcceptance
    /// Providers take no pushes when the state machine reports that there is work.
    case ignoreWakes
    /// A push is handed out a second time before its result.
    case sendTwice
    /// Rows are handed to the state machine youngest first.
    case reverseRows
    /// The state machine does not receive new unread counts.
    case hideUnread
    /// A device shows the badge before last again.
    case showOldBadge
    /// The store forgets to count a message as unread.
    case miscount
    /// The state machine is not notified that registrations ended or were narrowed.
    case hideEnded
    /// The state machine is not notified of the rows that an erasure ended.
    case hideErased
    /// The store leaves an erased consumer's registrations as they are.
    case keepErased
    /// The store ends another consumer's registration with those of an erased consumer or a deleted app.
    case endOthers
    /// The store does not note sightings of devices.
    case forgetSightings
    /// The state machine is not notified of deleted lanes.
    case keepLane
    /// The store registers devices on lanes that were deleted.
    case findOldLane
    /// The store removes another brand's row with those of a deleted one.
    case removeOthers
    /// The state machine does not receive new tokens.
    case hideToken
    /// The state machine is not notified of reads.
    case hideRead
    /// The state machine is not notified of merged consumers.
    case hideMerge
    /// The store forgets the unread messages of a consumer that is merged.
    case miscountMerge
    /// The state machine is not notified of collapsed rows.
    case hideCollapsed
    /// The store collapses nothing.
    case skipCollapse
    /// The state machine believes that nothing expires.
    case hideExpiry
    /// A provider delivers a push twice.
    case deliverTwice
    /// The store hands out more rows than there are slots.
    case overfill
    /// A row is handed to the state machine twice.
    case handTwice
    /// A row without an owner is handed to the state machine.
    case handUnowned
    /// An outcome never reaches the store.
    case forgetOutcome
    /// A row with an owner never reaches the state machine.
    case leakRow
    /// A conversation skips a number.
    case skipSequence
    /// A replay is stored as if it were new.
    case countReplay
    /// The state machine does not receive the backlog.
    case hideBacklog
    /// The writer forgets that a window closed.
    case forgetRelease
    /// A start leaves rows that were held for windows of the previous process.
    case strandHeld
    /// The store treats rows that a closed window held as acknowledged.
    case suppressReleased
    /// The state machine does not know the quiet hours.
    case hideQuietHours
    /// The store is not notified that the quiet hours for which rows wait have changed.
    case hideRequeue
    /// The rows that a summary stood for are committed in a later turn than the summary.
    case splitSummary
    /// The state machine does not know the threshold of summaries.
    case hideThreshold
    /// The state machine does not learn how long a provider asks to wait.
    case hideRetryAfter
    /// The state machine does not learn that a provider cannot reach the devices of a platform.
    case hidePlatform
    /// The state machine does not learn that a provider rejects a lane's credential.
    case hideRejection
    /// The state machine does not learn that a provider's fault holds for the whole lane.
    case hideOverload
    /// A provider that was replaced still takes pushes.
    case keepProvider
    /// A caller is never resumed.
    case loseAnswer
    /// The store does not limit a device's rows in memory.
    case crowdDevice
    /// The store is not notified that the rows that it left of a device are wanted.
    case forgetRecall
    /// The state machine treats proactive rows as agents'.
    case mixClasses
    /// The store does not limit proactive rows in memory.
    case crowdLane
    /// The state machine does not know campaigns' paces.
    case hidePace
    /// The state machine believes that lanes have a thousand times as many devices.
    case multiplyDevices
    /// The store hands devices out in the order of their ids.
    case favourDevices
    /// A brand's requests do not reach the state machine while others wait.
    case starveBrand
    /// The state machine has no limit of waiting requests.
    case unboundQueues
    /// The store makes no badges after a read.
    case loseBadges
    /// Windows do not receive events.
    case loseNews
    /// A window that opens does not receive earlier messages.
    case skipHistory
    /// The state machine does not know that the clock may be wrong.
    case hideDoubt
    /// The state machine believes that everything expires in a second.
    case shortenTime
    /// A provider asks for more pushes than its capacity.
    case takeTooMany
    /// Operators receive no alerts.
    case hideAlerts
    /// The state machine believes that the disk is full.
    case inventFault
    /// The writer does not wait after the store has failed.
    case hurryStore
    /// The state machine treats the rejection of one push as a temporary fault.
    case softenRefusal
    /// The state machine does not know providers' quotas.
    case hideQuota
    /// The state machine does not know the pace of a lane.
    case hideLanePace
    /// The state machine lets records wait for a minute.
    case hoardRecords
    /// New rows get no slots.
    case closeLanes
    /// Campaigns with a pace are never claimed.
    case idleCampaigns
    /// A part of the state machine receives other inputs than its model.
    case distortParts

    // MARK: The rules of a turn decide by wrong facts, as if a line of theirs was missing

    /// A read finds no messages to count beside its mark.
    case miscountRead
    /// A read leaves the rows of its messages.
    case keepRead
    /// A read takes the rows of its messages for rows that a window held.
    case suppressRead
    /// A failed attempt is taken for one of a push that has ended meanwhile.
    case loseRetry

    /// The invariant that it violates.
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
        case .hideRetryAfter, .hidePlatform, .hideRejection, .hideOverload: .waitsAreKept
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
        case .hideQuota, .hideLanePace: .quotaIsKept
        case .hoardRecords: .recordsAreTimely
        case .closeLanes, .idleCampaigns: .turnsAreFull
        case .distortParts: .partsAgree
        case .miscountRead: .unreadIsExact
        case .keepRead: .nothingRead
        case .suppressRead: .suppressedWasRead
        case .loseRetry: .nothingForgotten
        }
    }

    /// The corresponding fault of the store, if it is one.
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
        case .miscountRead: .miscountsReads
        case .keepRead: .keepsRead
        case .suppressRead: .suppressesRead
        case .loseRetry: .losesRetries
        default: nil
        }
    }
}
