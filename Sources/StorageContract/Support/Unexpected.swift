import GatewayModel
import GatewayStorage

/// An answer of another kind than the case asked for.
struct Unexpected: Error {
    var what: String
}

extension EventResult {
    /// What the back-end learns; throws when the event was not accepted.
    var acceptedEvent: AcceptedEvent {
        get throws {
            guard case .accepted(let event) = self else { throw Unexpected(what: "\(self)") }
            return event
        }
    }

    /// What a replay answers; throws when the event was no replay.
    var duplicateEvent: (event: AcceptedEvent, bodyDiffers: Bool) {
        get throws {
            guard case .duplicate(let event, let bodyDiffers) = self else { throw Unexpected(what: "\(self)") }
            return (event, bodyDiffers)
        }
    }
}

extension StoreChangeResult {
    /// What a read did; throws when it was something else.
    var readChange: ReadChange {
        get throws {
            guard case .read(let change) = self else { throw Unexpected(what: "\(self)") }
            return change
        }
    }

    /// What a tap answers; throws when it was something else.
    var tapAnswer: TapAnswer {
        get throws {
            guard case .tapped(let answer) = self else { throw Unexpected(what: "\(self)") }
            return answer
        }
    }

    /// What became of registrations; throws when it was something else.
    var unregisteredChange: RegistrationsChange {
        get throws {
            guard case .unregistered(let change) = self else { throw Unexpected(what: "\(self)") }
            return change
        }
    }

    /// How many receipts met a delivery; throws when it was something else.
    var recorded: Int {
        get throws {
            guard case .receipts(let met) = self else { throw Unexpected(what: "\(self)") }
            return met.count { $0 }
        }
    }

    /// How many sessions ended, and what became of registrations; throws when it was something else.
    var endedSessions: (count: Int, registrations: RegistrationsChange) {
        get throws {
            guard case .sessionsEnded(let ended) = self else { throw Unexpected(what: "\(self)") }
            return (ended.count, ended.registrations)
        }
    }

    /// What the opening of a session did; throws when it was something else.
    var opening: SessionOpening {
        get throws {
            guard case .sessionOpened(let opening) = self else { throw Unexpected(what: "\(self)") }
            return opening
        }
    }

    var isNotFound: Bool { if case .notFound = self { true } else { false } }

    var isGone: Bool { if case .gone = self { true } else { false } }
}
