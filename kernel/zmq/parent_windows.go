package zmq

import "golang.org/x/sys/windows"

// parentGone returns a function that reports whether a process is gone: value is a handle of it
// that we inherited, or its number.
func parentGone(value int) func() bool {
	handle := windows.Handle(value)
	if _, err := windows.WaitForSingleObject(handle, 0); err != nil {
		handle, err = windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(value))
		if err != nil {
			return func() bool { return false }
		}
	}
	return func() bool {
		event, err := windows.WaitForSingleObject(handle, 0)
		return err == nil && event == windows.WAIT_OBJECT_0
	}
}
