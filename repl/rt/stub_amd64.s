#include "textflag.h"

// func stubBase() uintptr
TEXT ·stubBase(SB), NOSPLIT, $0-8
	LEAQ ·stubCode(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// A stub is 16 bytes long: it says its number in a scratch register. A closure expects itself in DX.
#define STUB(i) PCALIGN $16; MOVL $(i), R12; JMP jump
#include "stubs.h"

TEXT ·stubCode(SB), NOSPLIT|NOFRAME, $0-0
	STUBS32K
jump:
	LEAQ ·slots(SB), R13
	MOVQ (R13)(R12*8), DX
	MOVQ (DX), R12
	JMP  R12
