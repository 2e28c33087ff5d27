import Foundation
import Logging

extension SwitchboardClient {
    /// Reads the record for a call that works without a session; an unreadable one counts as none here.
    func loadIfNeeded() {
        guard record == nil else { return }
        guard let data = try? storage.load(),
            let stored = try? JSONDecoder().decode(StoredRecord.self, from: data),
            stored.schema == StoredRecord.currentSchema
        else { return }
        record = stored
        unread = UnreadState(count: stored.user?.unread)
    }

    /// Writes the record; an error is reported as an event, because the state in memory is still right.
    func save() {
        do {
            try saveOrThrow()
        } catch {
            logger.warning("record not stored; it is lost when the app ends", metadata: ["error.code": "\(error.code)"])
            emit(.error(.storage, error))
        }
    }

    /// Writes the record.
    func saveOrThrow() throws(SwitchboardError) {
        guard let record else { return }
        do {
            try storage.save(record.encoded())
        } catch {
            throw Self.storageError(error)
        }
    }

    /// Deletes everything about the consumer.
    ///
    /// - Parameter receives: The kinds of pushes that may still arrive.
    /// - Throws: `storage` if something may be left on the device.
    func wipe(receives: PushKinds) throws(SwitchboardError) {
        forgetUser()
        let empty = StoredRecord(receives: receives)
        record = empty
        do {
            try storage.save(empty.encoded())
        } catch {
            // A full storage can still delete.
            do {
                try storage.remove()
            } catch {
                throw Self.storageError(error)
            }
        }
    }

    /// Deletes what is in memory about the consumer.
    func forgetUser() {
        endWindow()
        cancelBackgroundTasks()
        askTask?.cancel()
        askTask = nil
        authorizationTimer?.cancel()
        authorizationTimer = nil
        perform(tokens.clear(SwitchboardError(.sessionEnded, "the session ended while the call waited")))
        unread = UnreadState()
        taps = TapState()
        engagement = EngagementState()
        inbox = InboxState()
        looseLedger = PushLedger()
        authentication = .none
        isCodeSpent = false
    }

    /// Cancels what is sent in the background for the consumer.
    func cancelBackgroundTasks() {
        registrationTask?.cancel()
        reportTask?.cancel()
        eventTask?.cancel()
        registrationTask = nil
        reportTask = nil
        eventTask = nil
    }

    /// Returns the error of a storage.
    static func storageError(_ error: any Error) -> SwitchboardError {
        if let error = error as? SwitchboardError { return error }
        return SwitchboardError(.storage, "\(type(of: error))")
    }
}
