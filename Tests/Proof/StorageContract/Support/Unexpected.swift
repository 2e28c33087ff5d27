import GatewayModel
import GatewayStorage

/// A result of another kind than expected.
struct Unexpected: Error {
    var what: String
}

extension EventResult {
    /// The result for the back-end; throws when the event was not accepted.
    var acceptedEvent: AcceptedEvent {
        get throws {
            guard case .accepted(let event) = self else { throw Unexpected(what: "\(self)") }
            return event
        }
    }

    /// The result of a replay; throws when the event was no replay.
    var duplicateEvent: (event: AcceptedEvent, bodyDiffers: Bool) {
        get throws {
            guard case .duplicate(let event, let bodyDiffers) = self else { throw Unexpected(what: "\(self)") }
            return (event, bodyDiffers)
        }
    }
}

extension StoreChangeResult {
    /// The result of a read; throws when it was something else.
    var readChange: ReadChange {
        get throws {
            guard case .read(let change) = self else { throw Unexpected(what: "\(self)") }
            return change
        }
    }

    /// The result of a tap; throws when it was something else.
    var tapResult: TapResult {
        get throws {
            guard case .tapped(let response) = self else { throw Unexpected(what: "\(self)") }
            return response
        }
    }

    /// The change of registrations; throws when it was something else.
    var unregisteredChange: RegistrationsChange {
        get throws {
            guard case .unregistered(let change) = self else { throw Unexpected(what: "\(self)") }
            return change
        }
    }

    /// The number of receipts with a delivery; throws when it was something else.
    var recorded: Int {
        get throws {
            guard case .receipts(let met) = self else { throw Unexpected(what: "\(self)") }
            return met.count { $0 }
        }
    }

    /// The number of ended sessions, and the change of registrations; throws when it was something else.
    var endedSessions: (count: Int, registrations: RegistrationsChange) {
        get throws {
            guard case .sessionsEnded(let ended) = self else { throw Unexpected(what: "\(self)") }
            return (ended.count, ended.registrations)
        }
    }

    /// The result of opening a session; throws when it was something else.
    var opening: SessionOpening {
        get throws {
            guard case .sessionOpened(let opening) = self else { throw Unexpected(what: "\(self)") }
            return opening
        }
    }

    var isNotFound: Bool { if case .notFound = self { true } else { false } }

    var isGone: Bool { if case .gone = self { true } else { false } }
}
