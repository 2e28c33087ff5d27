/// The errors of the simulator.
package enum SimulatorError: Error, Equatable, CustomStringConvertible {
    /// A port could not be opened.
    case cannotListen(on: String, reason: String)
    /// A file of the credentials could not be read or written.
    case credentials(file: String, reason: String)
    /// Fewer pushes arrived in time than a caller waited for.
    case notEnoughPushes(expected: Int, received: Int)
    /// The simulator was started twice, or used before it was started.
    case wrongState(String)

    /// The error as text.
    package var description: String {
        switch self {
        case .cannotListen(let address, let reason): "cannot listen on \(address): \(reason)"
        case .credentials(let file, let reason): "\(file): \(reason)"
        case .notEnoughPushes(let expected, let received): "\(received) pushes arrived, \(expected) were expected"
        case .wrongState(let text): text
        }
    }
}
