import GatewayModel
import GatewayStorage

/// Registrations, and what providers and devices report.
extension ContractModel {
    // MARK: Registrations

    /// Registers a device; `made` is the number of the registration if it is a new one.
    mutating func register(_ device: DeviceToRegister, as made: RegistrationID?) -> String {
        guard let lane = lanes[device.pushType] else { return "not found" }
        let id = device.device.rawValue
        let owner = name(device.consumer.rawValue)
        let known = registrations.first { $0.value.device == id }
        if let token = device.session {
            guard let session = sessions.first(where: { $0.token == token }), session.consumer == owner else {
                return "session ended"
            }
            if let bound = session.device, bound != id { return "bound elsewhere" }
            if let known, known.value.state != .stopped, known.value.consumer != owner,
                known.value.token != device.token, device.currentToken?.proves(known.value.token) != true
            {
                return "conflict"
            }
        }
        meet(owner)
        var ended: [RegistrationID] = []
        for (other, value) in registrations
        where value.token == device.token && value.pushType == device.pushType && value.device != id {
            ended += end(other, .tokenMoved, .tokenMoved)
        }
        let isKept = known?.value.consumer == owner && known?.value.lane == lane
        if let known, !isKept {
            let hasMoved = known.value.token == device.token
            ended += end(known.key, hasMoved ? .tokenMoved : .unregistered, hasMoved ? .tokenMoved : .replaced)
        }
        guard let key = isKept ? known?.key : made else { return "no number" }
        if !device.receives.contains(.agent) {
            withdraw(key, .cancelled, .unregisteredAgent) { $0.wanted == .agent }
        }
        if !device.receives.contains(.proactive) { withdraw(key, .cancelled, .noConsent) { $0.wanted == .proactive } }
        let isCreated = isKept ? known?.value.state == .stopped : true
        registrations[key] = Registration(
            device: id,
            consumer: owner,
            token: device.token,
            pushType: device.pushType,
            lane: lane,
            receives: device.receives,
            registeredAt: turn.now,
            createdAt: isKept ? known?.value.createdAt ?? turn.now : turn.now
        )
        if let place = sessions.firstIndex(where: { $0.token == device.session }) {
            if sessions[place].device == nil { turn.ends.insert(owner) }
            sessions[place].device = id
            if device.singleDevice {
                let session = sessions[place]
                _ = endSessions {
                    $0.consumer == owner && $0.token != session.token && $0.createdAt <= session.createdAt
                }
                ended += endOthers(than: id, of: owner)
            }
        }
        return "registered \(key) \(isCreated ? "created" : "renewed") \(Self.list(ended))"
    }

    /// Ends a registration with its deliveries; returns it, unless it is hidden because it is stopped.
    @discardableResult
    mutating func end(
        _ id: RegistrationID,
        _ suppressedBy: SuppressedBy,
        _ reason: UnregisterReason?
    ) -> [RegistrationID] {
        withdraw(id, .cancelled, suppressedBy)
        guard let ended = registrations.removeValue(forKey: id) else { return [] }
        if let reason { report(ended, reason, "all") }
        return ended.state == .stopped ? [] : [id]
    }

    mutating func endOthers(than device: String?, of consumer: String) -> [RegistrationID] {
        var ended: [RegistrationID] = []
        for (id, value) in registrations where value.consumer == consumer && value.device != device {
            ended += end(id, .unregistered, .unregistered)
        }
        return ended
    }

    private mutating func report(_ device: Registration, _ reason: UnregisterReason, _ scope: String) {
        turn.feed.append(
            #"device.unregistered {"consumer":"\#(device.consumer)","app":"shop","deviceId":"\#(device.device)","#
                + #""pushType":"\#(device.pushType.rawValue)","reason":"\#(reason.rawValue)","scope":"\#(scope)"}"#
        )
    }

    mutating func unregister(
        _ consumer: String?,
        _ device: DeviceID?,
        _ scope: UnregisterScope,
        _ reason: UnregisterReason
    ) -> RegistrationsChange {
        var change = RegistrationsChange()
        guard let consumer, scope != .none else { return change }
        for (id, value) in registrations
        where value.consumer == consumer && (device == nil || value.device == device?.rawValue) {
            if scope == .all {
                change.ended += end(id, .unregistered, reason)
            } else if value.receives.contains(.agent) {
                withdraw(id, .cancelled, .unregisteredAgent) { $0.wanted == .agent }
                registrations[id]?.receives.remove(.agent)
                report(value, reason, "agent")
                if value.state != .stopped { change.narrowed.append(id) }
            }
        }
        return change
    }

    static func list(_ ids: [RegistrationID]) -> String { "\(ids.map(\.rawValue).sorted())" }

    // MARK: Responses of providers

    mutating func record(_ outcome: OutcomeRecord) -> OutcomeEffect {
        let id = outcome.delivery
        let expiresAt = open[id]?.expiresAt
        switch outcome.disposition {
        case .finished(let state, let reason):
            guard let response = outcome.response else {
                withdraw(id, state, reason)
                break
            }
            guard var row = open.removeValue(forKey: id) else {
                recordLate(id, response, isAccepted: state == .accepted)
                break
            }
            row.note(response)
            row.badge = response.badge
            if case .accepted(let provider) = response.outcome { row.providerID = provider }
            row.end = row.tappedAt != nil ? .tapped : row.deliveredAt != nil ? .delivered : state
            finished[id] = row
            reportFailure(id, row)
        case .retry:
            guard let response = outcome.response else { break }
            open[id]?.note(response)
            open[id]?.place = .waiting
            if open[id] == nil { recordLate(id, response, isAccepted: false) }
        case .release: open[id]?.place = .waiting
        }
        return OutcomeEffect(ended: apply(outcome, expiresAt: expiresAt))
    }

    /// Records the response to a push of a delivery that has ended since: an accepted one was sent.
    private mutating func recordLate(_ id: DeliveryID, _ response: PushResponse, isAccepted: Bool) {
        finished[id]?.note(response)
        finished[id]?.badge = response.badge
        if case .accepted(let provider?) = response.outcome { finished[id]?.providerID = provider }
        guard isAccepted, finished[id]?.end == .cancelled else { return }
        finished[id]?.end = .accepted
        finished[id]?.suppressedBy = nil
    }

    private mutating func apply(_ outcome: OutcomeRecord, expiresAt: Timestamp?) -> [RegistrationID] {
        let id = outcome.registration
        guard let known = registrations[id], known.state != .stopped else { return [] }
        switch outcome.token {
        // The model imports nothing.
        case .none, .confirm: return []
        case .drop(let token, let since):
            guard known.token == token, let limit = since ?? outcome.response?.sentAt, known.registeredAt <= limit
            else { return [] }
            var rows = open.filter { $0.value.registration == id }.mapValues(\.expiresAt)
            if let expiresAt { rows[outcome.delivery] = expiresAt }
            registrations[id]?.state = .stopped
            registrations[id]?.stoppedAt = turn.now
            registrations[id]?.stoppedRows = rows
            turn.stopped.insert(id)
            withdraw(id, .cancelled, .unregistered)
        case .quarantine(let token):
            guard known.token == token else { return [] }
            registrations[id]?.state = .quarantined
            withdraw(id, .failed, nil)
        }
        return [id]
    }

    // MARK: Stopped devices

    mutating func invalidate(_ request: StoppedDeviceRequest) -> StoppedDeviceResult {
        let found = stopped(request)
        for id in found { end(id, .unregistered, .tokenDead) }
        return StoppedDeviceResult(registrations: found, oldest: firstStop(of: request.lane))
    }

    /// Restores devices, with their deliveries that neither have expired nor are forbidden by something else.
    mutating func putBack(_ request: StoppedDeviceRequest) -> StoppedDeviceResult {
        let found = stopped(request)
        for id in found {
            let rows = registrations[id]?.stoppedRows ?? [:]
            registrations[id]?.state = .active
            registrations[id]?.stoppedAt = nil
            registrations[id]?.stoppedRows = [:]
            for (delivery, expiresAt) in rows.sorted(by: { $0.key > $1.key }) where expiresAt > turn.now {
                guard let row = finished[delivery],
                    row.state == .failed || (row.state == .cancelled && row.suppressedBy == .unregistered)
                else { continue }
                _ = reopen(delivery, row, on: id, until: expiresAt)
            }
        }
        return StoppedDeviceResult(registrations: found, oldest: firstStop(of: request.lane))
    }

    private func stopped(_ request: StoppedDeviceRequest) -> [RegistrationID] {
        let found = registrations.compactMap { id, value -> (at: Timestamp, id: RegistrationID)? in
            guard value.lane == request.lane, let at = value.stoppedAt, at <= request.stoppedBy else { return nil }
            return (at, id)
        }
        let sorted = found.sorted { ($0.at.milliseconds, $0.id.rawValue) < ($1.at.milliseconds, $1.id.rawValue) }
        return sorted.prefix(request.limit).map(\.id)
    }

    private func firstStop(of lane: LaneID) -> Timestamp? {
        registrations.values.filter { $0.lane == lane }.compactMap(\.stoppedAt).min()
    }

    // MARK: Reports of devices

    mutating func tap(_ tap: TapRequest) -> String {
        guard let owner = known(tap.consumer), let (number, entry) = find(tap.message),
            let conversation = conversations[number], conversation.consumer == owner, entry.kind != .consumer,
            let place = conversation.messages.firstIndex(where: { $0.id == entry.id })
        else { return "not found" }
        let facts = "\(entry.id) \(entry.sequence) \(entry.kind.rawValue)"
        if let at = entry.tappedAt { return "tapped \(facts) \(at) again" }
        if let until = entry.lookBackUntil, until < turn.now { return "gone" }
        let at = max(tap.tappedAt, entry.acceptedAt)
        conversations[number]?.messages[place].tappedAt = at
        conversations[number]?.messages[place].isPending = false
        for (id, row) in open where row.message == entry.id && row.device == tap.device.rawValue {
            open[id]?.tappedAt = at
        }
        if tap.clearsOthers { clearPending(of: owner) }
        for (id, row) in finished where row.message == entry.id && row.device == tap.device.rawValue {
            finished[id]?.end = .tapped
            finished[id]?.suppressedBy = nil
            finished[id]?.tappedAt = at
        }
        turn.feed.append(
            #"message.tapped {"messageId":"\#(entry.id)","consumer":"\#(tap.consumer.rawValue)","#
                + #""deviceId":"\#(tap.device.rawValue)","conversation":"\#(conversation.name)","#
                + #""sequence":\#(entry.sequence),"kind":"\#(entry.kind.rawValue)","tappedAt":"\#(at.rfc3339)"}"#
        )
        return "tapped \(facts) \(at) first"
    }

    private mutating func clearPending(of consumer: String) {
        for (number, conversation) in conversations where conversation.consumer == consumer {
            for (place, entry) in conversation.messages.enumerated() where entry.isPending {
                conversations[number]?.messages[place].isPending = false
                for (id, row) in open where row.message == entry.id { withdraw(id, .cancelled, .read) }
            }
        }
    }

    /// Records receipts; returns which of them have a delivery.
    mutating func record(_ receipts: [DeviceReceipt], of consumer: String?) -> [Bool] {
        var met: [Bool] = []
        for receipt in receipts {
            let rows = open.merging(finished) { first, _ in first }.filter {
                $0.value.message == receipt.message && $0.value.device == receipt.device.rawValue
                    && name($0.value.consumer) == consumer
            }
            for (id, row) in rows { record(receipt, id, row) }
            met.append(!rows.isEmpty)
        }
        return met
    }

    private mutating func record(_ receipt: DeviceReceipt, _ id: DeliveryID, _ row: Row) {
        var row = row
        let at = max(receipt.at, row.queuedAt)
        let isNew =
            row.deliveredAt == nil || (receipt.state == .displayed && row.displayedAt == nil)
            || (receipt.state == .dismissed && row.dismissedAt == nil)
        guard isNew else { return }
        row.deliveredAt = row.deliveredAt ?? at
        if receipt.state == .displayed { row.displayedAt = at }
        if receipt.state == .dismissed { row.dismissedAt = at }
        guard let end = row.end else {
            open[id] = row
            return
        }
        row.end = end == .tapped ? .tapped : .delivered
        row.suppressedBy = nil
        finished[id] = row
    }
}

extension ContractModel.Row {
    /// Records a try.
    fileprivate mutating func note(_ response: PushResponse) {
        attempts += 1
        status = response.status
        reason = response.reason
        sentAt = response.sentAt
    }
}
