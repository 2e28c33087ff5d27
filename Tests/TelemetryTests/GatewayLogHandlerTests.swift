import Foundation
import Logging
import Synchronization
import Telemetry
import TestSupport
import Testing

@Suite("Log lines")
struct GatewayLogHandlerTests {
    private final class Lines: LogSink {
        let lines = Mutex<[String]>([])
        func write(_ line: [UInt8], level _: Logger.Level) {
            lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }
        var all: [String] { lines.withLock { $0 } }
    }

    private let lines = Lines()

    private func logger(_ format: LogFormat, level: Logger.Level = .trace) -> Logger {
        let sink = lines
        return Logger(label: "test.room") { label in
            GatewayLogHandler(
                label: label,
                threshold: LogThreshold(level),
                format: format,
                clock: TestClock(),
                sink: sink
            )
        }
    }

    @Test("a JSON line holds time, level, logger, message and dotted keys")
    func json() {
        var logger = logger(.json)
        logger[metadataKey: LogKey.brand] = "acme"
        logger.warning("credential refused", metadata: [LogKey.count: "\(3)", LogKey.lane: .stringConvertible(7)])
        #expect(
            lines.all == [
                #"{"time":"2026-01-02T03:04:05.678Z","level":"warning","logger":"test.room","#
                    + #""message":"credential refused","brand.id":"acme","count":"3","lane.id":7}"# + "\n"
            ]
        )
    }

    @Test(
        "a line is one line of valid JSON for every value",
        arguments: ["a\"b", "a\\b", "a\nb\r\t", "\u{0}\u{1F}\u{7F}", "äß\u{1F600}", "", "\u{2028}"]
    )
    func hostileValues(text: String) throws {
        logger(.json).info(
            "constant",
            metadata: [
                "k": "\(text)", "time": "\(text)", "nested": ["x": ["\(text)", "\(text)"], "\(text)": "y"],
            ]
        )
        let line = try #require(lines.all.first)
        #expect(line.filter { $0.isNewline && $0 != "\u{2028}" && $0 != "\u{7F}" } == "\n")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["k"] as? String == text)
        #expect(object["metadata.time"] as? String == text)
        #expect(object["time"] as? String == "2026-01-02T03:04:05.678Z")
        let nested = try #require(object["nested"] as? [String: Any])
        #expect(nested["x"] as? [String] == [text, text])
    }

    @Test("events below the level are not written, and a copy of a logger has its own level")
    func levels() {
        let quiet = logger(.json, level: .notice)
        var loud = quiet
        loud.logLevel = .debug
        loud[metadataKey: "only-on"] = "loud"
        quiet.info("no")
        loud.info("yes")
        #expect(lines.all.count == 1)
        #expect(quiet.logLevel == .notice)
        #expect(quiet[metadataKey: "only-on"] == nil)
    }

    @Test("the threshold can be changed at runtime; a logger's own level stays")
    func threshold() {
        let threshold = LogThreshold(.warning)
        let sink = lines
        let logger = Logger(label: "a") {
            GatewayLogHandler(label: $0, threshold: threshold, format: .text, clock: TestClock(), sink: sink)
        }
        var own = logger
        own.logLevel = .error
        logger.info("no")
        threshold.level = .info
        logger.info("yes")
        own.warning("no")
        #expect(lines.all.count == 1)
        for level in Logger.Level.allCases {
            threshold.level = level
            #expect(logger.logLevel == level)
        }
    }

    @Test("the line that announces dropped lines has their number")
    func announcement() {
        let line = GatewayLogHandler.announcement(of: 1204, label: "test.room", format: .text, at: TestClock().now)
        let text = "log lines were dropped: standard error was not read fast enough count=\"1204\"\n"
        #expect(String(decoding: line, as: UTF8.self) == "2026-01-02T03:04:05.678Z warning  test.room: " + text)
    }

    @Test("a text line is readable and stays one line")
    func text() {
        logger(.text).error("broken\npipe", metadata: [LogKey.path: "/a\n/b"])
        #expect(lines.all == ["2026-01-02T03:04:05.678Z error    test.room: broken pipe path=\"/a\\n/b\"\n"])
    }
}
