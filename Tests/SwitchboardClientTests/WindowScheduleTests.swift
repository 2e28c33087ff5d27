import Foundation
import Testing

@testable import SwitchboardClient

@Suite("Window under random schedules", .timeLimit(.minutes(10)))
struct WindowScheduleTests {
    /// A model of the gateway's side: messages are stored, acknowledgements move marks, connections lose what is on its
    /// way.
    private struct Model {
        struct Conversation {
            var last = 0
            var read = 0
            /// The sequences that the consumer wrote.
            var own: Set<Int> = []
        }

        var conversations: [String: Conversation] = [:]
        /// The sequences of the consumer's messages by their ids.
        var stored: [String: Int] = [:]
        /// The order in which they were stored.
        var order: [String] = []
        var isConnected = false
        var hasResumed = false
        var sentLive: [String: Set<Int>] = [:]
        var held: [(String, Int)] = []
        var written: [String: Set<Int>] = [:]
        var toDevice: [JSONValue] = []
        var toGateway: [WindowClientFrame] = []

        mutating func connect() {
            isConnected = true
            hasResumed = false
            sentLive = [:]
            held = []
            written = [:]
            toDevice = [WindowFrames.ready(conversations.mapValues { (last: $0.last, read: $0.read) })]
            toGateway = []
        }

        mutating func disconnect() {
            isConnected = false
            toDevice = []
            toGateway = []
        }

        mutating func write(_ id: String, graceIsOver: Bool) {
            conversations[id, default: Conversation()].last += 1
            guard isConnected else { return }
            let sequence = conversations[id]?.last ?? 0
            if hasResumed || (graceIsOver && held.isEmpty) {
                toDevice.append(WindowFrames.message(id, sequence))
                if !hasResumed { sentLive[id, default: []].insert(sequence) }
            } else {
                held.append((id, sequence))
            }
        }

        mutating func handle(_ frame: WindowClientFrame) {
            #expect(hasResumed || frame.isResume, "the first frame is resume")
            switch frame {
            case .resume(let list):
                #expect(!hasResumed)
                hasResumed = true
                for item in list {
                    let last = conversations[item.id]?.last ?? 0
                    guard item.afterSequence < last else { continue }
                    for sequence in (item.afterSequence + 1)...last
                    where sentLive[item.id]?.contains(sequence) != true
                        && !held.contains(where: { $0.0 == item.id && $0.1 == sequence })
                    {
                        toDevice.append(WindowFrames.message(item.id, sequence))
                    }
                }
                for (id, sequence) in held { toDevice.append(WindowFrames.message(id, sequence)) }
                held = []
            case .acknowledge(let id, let upTo):
                guard var conversation = conversations[id], upTo > conversation.read else { return }
                conversation.read = min(upTo, conversation.last)
                conversations[id] = conversation
                toDevice.append(WindowFrames.read(id, conversation.read, unread: 0))
            case .send(let message):
                if stored[message.clientID] == nil {
                    conversations[message.conversationID, default: Conversation()].last += 1
                    let sequence = conversations[message.conversationID]?.last ?? 0
                    conversations[message.conversationID]?.own.insert(sequence)
                    stored[message.clientID] = sequence
                    order.append(message.clientID)
                }
                let sequence = stored[message.clientID] ?? 0
                let id = "\(message.conversationID)-\(sequence)"
                toDevice.append(WindowFrames.sent(message.clientID, id, sequence))
            case .typing, .reauthenticate: break
            }
        }
    }

    /// The device: its machine, and what the app has seen.
    private struct Device {
        var machine: WindowMachine
        var now = Duration.seconds(100)
        /// The time at which the last frame arrived.
        var lastDelivery = Duration.zero
        /// The connection that is being opened.
        var opening: Int?
        var seen: [String: [Int]] = [:]
        var outcomes: [String: Int] = [:]
        var hasClosed = false
        var state: WindowState?
    }

    private static func execute(_ actions: [WindowMachine.Action], _ device: inout Device, _ model: inout Model) {
        for action in actions {
            #expect(!device.hasClosed, "nothing follows the end")
            switch action {
            case .connect(let number): device.opening = number
            case .send(let frame):
                #expect(model.isConnected, "nothing is sent without a connection")
                if case .acknowledge(let id, let upTo) = frame {
                    #expect(device.state == .ready, "R96: acknowledged before ready")
                    let first = (model.conversations[id]?.read ?? 0) + 1
                    if first <= upTo {
                        for sequence in first...upTo where model.conversations[id]?.own.contains(sequence) != true {
                            #expect(device.seen[id]?.contains(sequence) == true, "acknowledged and not seen")
                        }
                    }
                }
                model.toGateway.append(frame)
            case .disconnect: model.disconnect()
            case .emit(.stateChanged(let state)): device.state = state
            case .emit(.message(let message)):
                device.seen[message.conversationID ?? "", default: []].append(message.sequence ?? 0)
            case .emit(.closed): device.hasClosed = true
            case .sent(let id, let stored):
                device.outcomes[id, default: 0] += 1
                #expect(model.stored[id] == stored.sequence)
            case .failed(let id, _): device.outcomes[id, default: 0] += 1
            case .emit, .ping, .renewToken, .rejectToken, .endSession, .unread, .read: break
            }
        }
    }

    @Test("R96 R99: 2,000 random schedules: each message once, each call one outcome, marks only of what the app has")
    func schedules() {
        for seed in 0..<2000 {
            var generator = SeededGenerator(UInt64(seed))
            var model = Model()
            model.conversations = ["a": .init(last: 3, read: Int.random(in: 0...3, using: &generator)), "b": .init()]
            let floors = model.conversations.mapValues(\.read)
            var device = Device(
                machine: WindowMachine(WindowOptions(), policy: .standard, sendPolicy: .standard)
            )
            var calls: [String] = []
            Self.execute(device.machine.open(), &device, &model)
            for _ in 0..<Int.random(in: 1...80, using: &generator) {
                let conversation = ["a", "b", "c"].randomElement(using: &generator) ?? "a"
                switch Int.random(in: 0...11, using: &generator) {
                case 0...1: model.write(conversation, graceIsOver: Bool.random(using: &generator))
                case 2...4: Self.toDevice(&device, &model)
                case 5...6: if !model.toGateway.isEmpty { model.handle(model.toGateway.removeFirst()) }
                case 7: Self.open(&device, &model, succeeds: Int.random(in: 0...3, using: &generator) > 0)
                case 8: Self.wake(&device, &model)
                case 9:
                    calls.append("call-\(calls.count)")
                    let message = OutgoingMessage(
                        clientID: calls.last ?? "",
                        conversationID: conversation,
                        text: "hi"
                    )
                    Self.execute(device.machine.send(message, at: device.now), &device, &model)
                case 10:
                    guard model.isConnected else { continue }
                    model.disconnect()
                    let number = device.machine.connection
                    Self.execute(device.machine.lost(number, at: device.now, spread: 0), &device, &model)
                default:
                    let step = Duration.milliseconds(Int.random(in: 1...900, using: &generator))
                    Self.pass(to: device.now + step, &device, &model)
                }
            }
            if seed % 5 == 0 {
                Self.execute(device.machine.close(nil), &device, &model)
                #expect(device.hasClosed && !model.isConnected)
            } else {
                Self.settle(&device, &model)
                #expect(device.state == .ready, "seed \(seed)")
                for (id, conversation) in model.conversations {
                    let floor = floors[id] ?? 0
                    let expected = Set((0...conversation.last).dropFirst(floor + 1))
                    let missing = expected.subtracting(conversation.own).subtracting(device.seen[id] ?? [])
                    #expect(missing.isEmpty, "seed \(seed): \(id) lacks \(missing)")
                }
                #expect(model.order == calls, "seed \(seed): the order of the calls")
            }
            for (id, sequences) in device.seen {
                #expect(Set(sequences).count == sequences.count, "seed \(seed): \(id) twice: \(sequences)")
            }
            #expect(calls.allSatisfy { device.outcomes[$0] == 1 }, "seed \(seed)")
        }
    }

    private static func toDevice(_ device: inout Device, _ model: inout Model) {
        guard model.isConnected, !model.toDevice.isEmpty else { return }
        let text = String(decoding: model.toDevice.removeFirst().data, as: UTF8.self)
        device.lastDelivery = device.now
        let number = device.machine.connection
        execute(device.machine.received(.text(text), number, at: device.now, spread: 0), &device, &model)
    }

    private static func open(_ device: inout Device, _ model: inout Model, succeeds: Bool) {
        guard let number = device.opening else { return }
        device.opening = nil
        if succeeds {
            model.connect()
            device.lastDelivery = device.now
            execute(device.machine.connected(number, at: device.now), &device, &model)
        } else {
            let error = SwitchboardError(.connectivity, "away")
            execute(device.machine.connectFailed(error, number, at: device.now, spread: 0), &device, &model)
        }
    }

    private static func wake(_ device: inout Device, _ model: inout Model) {
        guard let deadline = device.machine.nextDeadline else { return }
        pass(to: max(device.now, deadline), &device, &model)
    }

    private static func pass(to time: Duration, _ device: inout Device, _ model: inout Model) {
        // What is on its way arrives within five seconds: after twelve the device takes it for removed.
        let isQuiet = model.toDevice.isEmpty && model.toGateway.isEmpty
        guard isQuiet || time <= device.lastDelivery + .seconds(5) else { return }
        device.now = time
        execute(device.machine.timePassed(at: device.now, spread: 0), &device, &model)
    }

    /// Lets everything happen that is on its way.
    private static func settle(_ device: inout Device, _ model: inout Model) {
        for _ in 0..<10_000 {
            if device.opening != nil {
                open(&device, &model, succeeds: true)
            } else if !model.toGateway.isEmpty {
                model.handle(model.toGateway.removeFirst())
            } else if !model.toDevice.isEmpty {
                toDevice(&device, &model)
            } else if device.state != .ready {
                wake(&device, &model)
            } else {
                return
            }
        }
    }
}

extension WindowClientFrame {
    /// Whether it is the frame with which a device begins.
    fileprivate var isResume: Bool { if case .resume = self { true } else { false } }
}
