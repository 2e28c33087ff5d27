import SwiftUI

/// The conversation with the agent; the messaging window is open while it is visible and the app is active.
struct ConversationView: View {
    @EnvironmentObject private var messenger: Messenger
    @Environment(\.scenePhase) private var scenePhase
    @State private var draft = ""

    var body: some View {
        VStack {
            ScrollViewReader { reader in
                List(messenger.lines) { line in
                    Text(line.text)
                        .frame(maxWidth: .infinity, alignment: line.isFromConsumer ? .trailing : .leading)
                }
                .onChange(of: messenger.target) { target in
                    if let target { reader.scrollTo(target, anchor: .bottom) }
                }
            }
            if let error = messenger.errorText { Text(error) }
            HStack {
                TextField("Message", text: $draft)
                Button("Send") { send() }
                    .disabled(draft.isEmpty || !messenger.isWindowReady)
            }
            .padding()
        }
        .navigationTitle("Messages")
        // Another phase cancels the task, which closes the window: pushes come again.
        .task(id: scenePhase) {
            if scenePhase == .active { await messenger.converse() }
        }
    }

    private func send() {
        let text = draft
        draft = ""
        Task {
            if await !messenger.send(text) { draft = text }
        }
    }
}
