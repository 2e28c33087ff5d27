// Opens a messaging window as a browser does, with the token in a subprotocol and no headers: resumes every conversation from
// its beginning, acknowledges its end, and closes when an error answers an acknowledgement of what is not there.
// Arguments: the gateway's URL and the brand. The token is in SWITCHBOARD_SESSION_TOKEN. Prints a line for each thing that
// happens.
const [server, brand] = process.argv.slice(2);
const url = server.replace(/^http/, "ws") + `/v1/brands/${brand}/window?deviceId=node-1`;
const socket = new WebSocket(url, ["switchboard.v1", "bearer." + process.env.SWITCHBOARD_SESSION_TOKEN]);
const last = {};
const say = (frame) => socket.send(JSON.stringify(frame));
socket.onopen = () => console.log("open " + socket.protocol);
socket.onerror = () => console.log("error");
socket.onclose = (event) => console.log(`closed ${event.code} ${event.reason}`);
socket.onmessage = (event) => {
  const frame = JSON.parse(event.data);
  console.log(frame.type + " " + (frame.sequence ?? frame.unread ?? frame.code ?? ""));
  if (frame.type === "ready") {
    for (const { id, lastSequence } of frame.conversations) last[id] = lastSequence;
    say({ type: "resume", conversations: Object.keys(last).map((id) => ({ id, afterSequence: 0 })) });
  } else if (frame.type === "message" && frame.sequence === last[frame.conversation]) {
    say({ type: "ack", conversation: frame.conversation, upToSequence: frame.sequence });
    say({ type: "ack", conversation: "not-there", upToSequence: 1 });
  } else if (frame.type === "error") {
    socket.close(1000, "done");
  }
};
