package import GatewayStorage

/// What a logout did.
package struct EndedSessions: Sendable, Equatable {
    /// How many sessions ended.
    package var count: Int
    /// Which registrations ended or were narrowed.
    package var registrations: RegistrationsChange
}
