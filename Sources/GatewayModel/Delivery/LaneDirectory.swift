/// The lanes as the delivery core reads them.
package protocol LaneDirectory: Sendable {
    /// Returns the description of a lane; callable from any thread.
    ///
    /// - Parameter id: The lane's number.
    /// - Returns: Nil when its app was deleted or has no credential for it.
    func lane(_ id: LaneID) -> LaneDescription?
}
