/// What makes a login with an identifier take in an anonymous consumer; the raw value is the word on the wire.
package enum AnonymousMerge: String, Codable, Sendable, CaseIterable {
    /// The token of the anonymous consumer's session, which the login shows.
    case token
    /// That token, or the device that the login names: whoever knows a device's id can prepare such a merge.
    case device
}
