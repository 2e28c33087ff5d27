import Foundation
import ProcessHarness

extension Caller {
    /// An event that is being posted, with its consumer.
    private struct Posting {
        var id: String
        var index: Int
        var counts: Bool
        var collapseKey: String?
        var json: String
    }

    /// One result of the events route.
    private struct Result: Decodable {
        var id: String
        var status: String
        var messageId: String?
        var sequence: Int?
        var unread: Int?
        var deliveries: Int?
    }

    private struct Response: Decodable {
        var results: [Result]
    }

    /// Posts new events in one request.
    mutating func post(_ count: Int) async throws {
        var postings: [Posting] = []
        for _ in 0..<count {
            let index = Int.random(in: consumers.indices, using: &random)
            let isSilent = Int.random(in: 0..<20, using: &random) == 0
            let hasKey = !isSilent && Int.random(in: 0..<10, using: &random) == 0
            let key = hasKey ? "k-\(Int.random(in: 0..<2, using: &random))" : nil
            postings.append(posting(nextEvent(), for: index, isSilent: isSilent, collapseKey: key))
        }
        record.posted += count
        let (results, retries) = try await send(postings)
        for (posting, result) in zip(postings, results) { note(posting, result, isRetried: retries > 0) }
    }

    /// Posts an event again after its response: the result must be the same, and it must count nothing.
    mutating func replay() async throws {
        guard let message = record.messages.randomElement(using: &random),
            let index = consumers.firstIndex(where: { $0.number == message.consumer })
        else { return }
        record.replays += 1
        let again = posting(message.event, for: index, isSilent: !message.counts, collapseKey: message.collapseKey)
        guard let result = try await send([again]).results.first else { return }
        if result.status != "duplicate" || result.messageId != message.id || result.sequence != message.sequence {
            contradict("replay of \(message.event) returned \(result), the first was \(message.id)")
        }
        let unread = consumers[index].unread.count
        if !consumers[index].isShared, result.unread != unread {
            contradict("replay of \(message.event) returned unread \(result.unread ?? -1), expected \(unread)")
        }
    }

    /// Posts that the consumer read up to a message, in another channel.
    mutating func read(_ index: Int) async throws {
        let consumer = consumers[index]
        guard consumer.lastSequence > 0 else { return }
        // Usually everything; sometimes a part, and sometimes what was read before, which must change nothing.
        let upTo =
            Int.random(in: 0..<3, using: &random) > 0
            ? consumer.lastSequence : Int.random(in: 1...consumer.lastSequence, using: &random)
        let id = nextEvent()
        record.posted += 1
        let begin = Date().timeIntervalSince1970
        let json =
            #"{"id":"\#(id)","type":"messages.read","consumer":"u-\#(consumer.number)","conversation":"c-\#(consumer.number)","upToSequence":\#(upTo)}"#
        let sent = try await send([Posting(id: id, index: index, counts: false, collapseKey: nil, json: json)])
        guard let result = sent.results.first, result.status != "rejected" else {
            return contradict("read \(id) was rejected")
        }
        record.accepted += 1
        record.reads[consumer.number, default: []].append(
            .init(upTo: upTo, begin: begin, end: Date().timeIntervalSince1970)
        )
        consumers[index].readSequence = max(consumer.readSequence, upTo)
        consumers[index].unread.removeAll { $0 <= upTo }
        let unread = consumers[index].unread.count
        if result.unread != unread {
            contradict("read \(id) of u-\(consumer.number) returned unread \(result.unread ?? -1), expected \(unread)")
        }
    }

    private func posting(_ id: String, for index: Int, isSilent: Bool, collapseKey: String?) -> Posting {
        let number = consumers[index].number
        let key = collapseKey.map { #","collapseKey":"\#($0)""# } ?? ""
        let json = """
            {"id":"\(id)","type":"agent.message","consumer":"u-\(number)","conversation":"c-\(number)",\
            "agent":{"nickname":"Dana"},"text":"Message \(id)"\(isSilent ? #","silent":true"# : "")\(key)}
            """
        return Posting(id: id, index: index, counts: !isSilent, collapseKey: collapseKey, json: json)
    }

    private mutating func send(_ postings: [Posting]) async throws -> (results: [Result], retries: Int) {
        let body =
            postings.count == 1 ? postings[0].json : "[" + postings.map(\.json).joined(separator: ",") + "]"
        let response = try await backEnd.call("POST", "/events", body)
        record.retries += response.retries
        progress.posted(postings.count)
        guard response.status == 202 else {
            throw HarnessError("events had the response status \(response.status)")
        }
        let results = try JSONDecoder().decode(Response.self, from: response.body).results
        guard results.map(\.id) == postings.map(\.id) else { throw HarnessError("results are not in request order") }
        return (results, response.retries)
    }

    /// Records a result.
    ///
    /// After a retry `duplicate` is the result of an event that was stored by an attempt without a response.
    private mutating func note(_ posting: Posting, _ result: Result, isRetried: Bool) {
        guard result.status == "accepted" || isRetried && result.status == "duplicate", let id = result.messageId,
            let sequence = result.sequence
        else { return contradict("\(posting.id) had the result \(result)") }
        record.accepted += 1
        var consumer = consumers[posting.index]
        let devices = consumer.tokens.keys.sorted { $0.id < $1.id }
        record.messages.append(
            .init(
                event: posting.id,
                id: id,
                consumer: consumer.number,
                sequence: sequence,
                counts: posting.counts,
                collapseKey: posting.collapseKey,
                devices: devices
            )
        )
        if result.status == "accepted", result.deliveries != devices.count {
            contradict("\(posting.id) has \(result.deliveries ?? -1) deliveries for \(devices.count) devices")
        }
        guard !consumer.isShared else { return }
        consumer.lastSequence += 1
        if posting.counts { consumer.unread.append(sequence) }
        if sequence != consumer.lastSequence {
            contradict("\(posting.id) has sequence \(sequence), expected after \(consumer.lastSequence)")
        }
        if result.status == "accepted", result.unread != consumer.unread.count {
            contradict("\(posting.id) returned unread \(result.unread ?? -1), expected \(consumer.unread.count)")
        }
        consumers[posting.index] = consumer
    }
}
