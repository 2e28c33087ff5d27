import GuardedHTTP
import TextFormats

extension GuardedResponse {
    /// The members of a body that is a JSON object; nil for any other.
    var members: StrictJSON.Members? {
        if case .object(let members)? = try? StrictJSON.parse(body) { members } else { nil }
    }
}
