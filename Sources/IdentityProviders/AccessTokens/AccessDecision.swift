import GuardedHTTP
import TextFormats

/// A decider's answer about an access token (R203).
enum AccessDecision: Equatable {
    /// The token may be issued.
    case allowed
    /// It may not, for a reason that the app gets.
    case denied(String)
    /// The response is no answer; the text contains nothing of it.
    case unavailable(String)

    /// The maximum length of a reason in Unicode scalars; longer ones are cut.
    static let maxReasonLength = 256

    /// Interprets a response: only status 200 with a valid answer grants or denies.
    init(_ response: GuardedResponse) {
        guard response.status == 200 else {
            self = .unavailable("The decider responds with status \(response.status).")
            return
        }
        let members = response.members
        guard case .bool(let isAllowed)? = members?["allow"] else {
            self = .unavailable("The decider's response does not say whether to allow.")
            return
        }
        guard !isAllowed else {
            self = .allowed
            return
        }
        guard case .string(let reason)? = members?["reason"], !reason.isEmpty else {
            self = .denied("denied")
            return
        }
        self = .denied(String(reason.unicodeScalars.prefix(Self.maxReasonLength)))
    }
}
