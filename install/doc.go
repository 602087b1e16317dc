// Package install brings the kernel to Jupyter: it writes and removes the kernelspec, opens
// JupyterLab, and says what is missing.
//
//	dir, err := install.Target{}.Dir(ctx) // where Jupyter looks for this user's kernels
//	err = install.Install(dir, false)     // writes the running program and its kernel.json there
//	found, err := install.Uninstall(dir)  // takes both away
//
// A kernelspec is a folder with a kernel.json, logos and here also the program itself, so that
// other users can run it and a build folder may go. Each file is written beside its place and
// renamed, the program first and kernel.json last: at every moment the kernelspec is either absent
// or whole, and a kernel that runs keeps the file it was started from.
//
// JupyterLab is a program in Python. Package install asks the Python interpreters that it finds
// what they have, and when none has JupyterLab it makes a virtual environment of its own, with the
// versions in lab.txt. It takes nothing away that it has not written.
package install
