/// The result of an initialisation that succeeded.
public struct Initialization: Sendable, Hashable {
    /// Whether a session was active already, so that the call had no effect.
    public var wasActive: Bool
    /// Whether data of another version of the library was wiped: run the steps after a login again, without asking the
    /// consumer to log in.
    public var wasUpgraded: Bool
}
