#include "textflag.h"

// func stubBase() uintptr
TEXT ·stubBase(SB), NOSPLIT, $0-8
	MOVD $·stubCode(SB), R0
	MOVD R0, ret+0(FP)
	RET

// A stub is 16 bytes long: it says its number in a scratch register. A closure expects itself in R26.
#define STUB(i) PCALIGN $16; MOVD $(i), R16; JMP jump
#include "stubs.h"

TEXT ·stubCode(SB), NOSPLIT|NOFRAME, $0-0
	STUBS32K
jump:
	MOVD $·slots(SB), R17
	MOVD (R17)(R16<<3), R26
	MOVD (R26), R17
	JMP  (R17)
