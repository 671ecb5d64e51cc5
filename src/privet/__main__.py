"""`python -m privet` is the same as `privet`."""

from privet.app import main

if __name__ == "__main__":
    main()
