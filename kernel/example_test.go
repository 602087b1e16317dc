package kernel_test

import (
	"encoding/json"
	"fmt"

	"halfnote/kernel"
	"halfnote/repl"
)

// screen is a transport to a front end that only prints results.
type screen struct{}

func (screen) Send(ch kernel.Channel, m *kernel.Message) {}

func (screen) Publish(topic string, m *kernel.Message) {
	var result struct{ Data map[string]string }
	if json.Unmarshal(m.Content, &result) == nil && result.Data != nil {
		fmt.Println(result.Data["text/plain"])
	}
}

func Example() {
	k := kernel.New(repl.New(repl.Config{}), screen{}, kernel.Config{})
	k.Receive(kernel.Shell, &kernel.Message{
		Header:  json.RawMessage(`{"msg_id": "1", "msg_type": "execute_request"}`),
		Content: json.RawMessage(`{"code": "6 * 7"}`),
	})
	k.Receive(kernel.Shell, &kernel.Message{
		Header:  json.RawMessage(`{"msg_id": "2", "msg_type": "shutdown_request"}`),
		Content: json.RawMessage(`{"restart": false}`),
	})
	<-k.Done()
	// Output: 42
}
