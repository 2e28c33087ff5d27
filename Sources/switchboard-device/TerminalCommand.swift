/// A line of the terminal.
enum TerminalCommand: Equatable {
    /// Send the line as a message.
    case write(String)
    case open
    case close
    case typing
    case unread
    case resolve
    /// Report a tap: on the push with this id, or on the last one.
    case tap(String?)
    case logout
    case quit
    case help
    case unknown

    /// The commands, for people.
    static let list = "/open /close /typing /unread /tap [id] /resolve /logout /quit /help"

    /// Parses a line; nil for an empty one.
    init?(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 1)
        guard let first = words.first else { return nil }
        guard first.hasPrefix("/") else {
            self = .write(line)
            return
        }
        switch first {
        case "/open": self = .open
        case "/close": self = .close
        case "/typing": self = .typing
        case "/unread": self = .unread
        case "/resolve": self = .resolve
        case "/tap": self = .tap(words.count > 1 ? String(words[1]) : nil)
        case "/logout": self = .logout
        case "/quit": self = .quit
        case "/help": self = .help
        default: self = .unknown
        }
    }
}
