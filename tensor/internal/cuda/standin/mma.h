// In the place of NVIDIA's header of this name: wmma.h has it all.
#pragma once
