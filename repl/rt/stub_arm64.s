#include "textflag.h"

// func stubBase() uintptr
TEXT ·stubBase(SB), NOSPLIT, $0-8
	MOVD $·stubCode(SB), R0
	MOVD R0, ret+0(FP)
	RET

// A stub is 16 bytes long: it says its number in a scratch register. A closure expects itself in R26.
#define STUB(i) PCALIGN $16; MOVD $(i), R16; JMP jump
#define STUBS4(i) STUB(i); STUB(i+1); STUB(i+2); STUB(i+3)
#define STUBS16(i) STUBS4(i); STUBS4(i+4); STUBS4(i+8); STUBS4(i+12)
#define STUBS64(i) STUBS16(i); STUBS16(i+16); STUBS16(i+32); STUBS16(i+48)
#define STUBS256(i) STUBS64(i); STUBS64(i+64); STUBS64(i+128); STUBS64(i+192)
#define STUBS1K(i) STUBS256(i); STUBS256(i+256); STUBS256(i+512); STUBS256(i+768)
#define STUBS4K(i) STUBS1K(i); STUBS1K(i+1024); STUBS1K(i+2048); STUBS1K(i+3072)

TEXT ·stubCode(SB), NOSPLIT|NOFRAME, $0-0
	STUBS4K(0)
	STUBS4K(4096)
	STUBS4K(8192)
	STUBS4K(12288)
	STUBS4K(16384)
	STUBS4K(20480)
	STUBS4K(24576)
	STUBS4K(28672)
jump:
	MOVD $·slots(SB), R17
	MOVD (R17)(R16<<3), R26
	MOVD (R26), R17
	JMP  (R17)
