/// How log lines look.
package enum LogFormat: String, CaseIterable, Sendable {
    /// One JSON object a line, for collectors.
    case json
    /// One line for people.
    case text
}
